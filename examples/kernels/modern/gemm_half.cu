// SPDX-License-Identifier: BSL-1.0
// c = a * b in half precision with sums in float: a has m rows and k columns, b has k rows and n
// columns, all stored by rows. One thread an element of c.
#include <cuda_fp16.h>

__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int k, int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += __half2float(a[row * k + i]) * __half2float(b[i * n + column]);
    c[row * n + column] = __float2half(sum);
}
