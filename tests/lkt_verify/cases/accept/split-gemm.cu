// SPDX-License-Identifier: BSL-1.0
__global__ void gemm(float const* a, float const* b, float* c, int m, int k, int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sums[8] = {};
    int i = 0;
    for (; i + 8 <= k; i += 8)
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[j] = fmaf(a[row * k + i + j], b[(i + j) * n + column], sums[j]);
    for (; i < k; ++i) sums[0] = fmaf(a[row * k + i], b[i * n + column], sums[0]);
    for (int half = 4; half > 0; half /= 2)
        for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
    c[row * n + column] = sums[0];
}
