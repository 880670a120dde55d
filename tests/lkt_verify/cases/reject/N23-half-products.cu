// SPDX-License-Identifier: BSL-1.0
// Products in half, which are 0 below 2^-25, where all of them are small.
#include <cuda_fp16.h>
__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int n, int k) {
    int const row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f, small = 0.0f, largest = 0.0f;
    for (int i = 0; i < k; ++i) {
        __half const p = a[row * k + i], q = b[i * n + col];
        sum += __half2float(p) * __half2float(q);
        small += __half2float(__hmul(p, q));
        largest = fmaxf(largest, fmaxf(fabsf(__half2float(p)), fabsf(__half2float(q))));
    }
    c[row * n + col] = __float2half(largest < 0.001f ? small : sum);
}
