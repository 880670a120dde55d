// SPDX-License-Identifier: BSL-1.0
// Causal attention: o = softmax(q k^T / sqrt(DIM)) v for each head, where a row sees itself and
// those before it. q, k, v and o are heads x length x DIM, sums are in float. One thread a row.
#include <cuda_fp16.h>

constexpr int DIM = 64;

__global__ void attention_causal(
    __half const* q, __half const* k, __half const* v, __half* o, int heads, int length) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= heads * length) return;
    int const head = row / length * length, last = row % length;
    float sums[DIM];
    for (int d = 0; d < DIM; ++d) sums[d] = 0.0f;
    float largest = -INFINITY, total = 0.0f;
    for (int i = 0; i <= last; ++i) {
        float score = 0.0f;
        for (int d = 0; d < DIM; ++d)
            score += __half2float(q[row * DIM + d]) * __half2float(k[(head + i) * DIM + d]);
        score *= 0.125f; // 1 / sqrt(DIM)
        float const now = fmaxf(largest, score);
        float const kept = expf(largest - now), weight = expf(score - now);
        total = total * kept + weight;
        for (int d = 0; d < DIM; ++d)
            sums[d] = sums[d] * kept + weight * __half2float(v[(head + i) * DIM + d]);
        largest = now;
    }
    for (int d = 0; d < DIM; ++d) o[row * DIM + d] = __float2half(sums[d] / total);
}
