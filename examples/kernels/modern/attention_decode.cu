// SPDX-License-Identifier: BSL-1.0
// Attention of one new row for each sequence and head: o = softmax(q k^T / sqrt(DIM)) v, where the
// rows of k and v are those of a cache whose last unused[sequence] rows hold nothing. Heads share
// those of the cache in groups: head h reads h / (heads / kv_heads). Sums are in float. One thread
// a head of a sequence.
#include <cuda_fp16.h>

constexpr int DIM = 128;

__global__ void attention_decode(__half const* q,
                                 __half const* k,
                                 __half const* v,
                                 int const* unused,
                                 __half* o,
                                 int batch,
                                 int heads,
                                 int kv_heads,
                                 int capacity) {
    int const head = blockIdx.x * blockDim.x + threadIdx.x;
    if (head >= batch * heads) return;
    int const sequence = head / heads;
    int const cache = sequence * kv_heads + head % heads / (heads / kv_heads);
    float sums[DIM];
    for (int d = 0; d < DIM; ++d) sums[d] = 0.0f;
    float largest = -INFINITY, total = 0.0f;
    for (int i = 0; i < capacity - unused[sequence]; ++i) {
        int const row = (cache * capacity + i) * DIM;
        float score = 0.0f;
        for (int d = 0; d < DIM; ++d)
            score += __half2float(q[head * DIM + d]) * __half2float(k[row + d]);
        score *= 0.08838834764f; // 1 / sqrt(DIM)
        float const now = fmaxf(largest, score);
        float const kept = expf(largest - now), weight = expf(score - now);
        total = total * kept + weight;
        for (int d = 0; d < DIM; ++d) sums[d] = sums[d] * kept + weight * __half2float(v[row + d]);
        largest = now;
    }
    for (int d = 0; d < DIM; ++d) o[head * DIM + d] = __float2half(sums[d] / total);
}
