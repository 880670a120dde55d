// SPDX-License-Identifier: BSL-1.0
// c = a * b^T, as a linear layer has it: a has m rows and b has n rows, each of k bfloat16 numbers;
// sums are in float. One thread an element of c.
#include <cuda_bf16.h>

__global__ void gemm_bfloat16(
    __nv_bfloat16 const* a, __nv_bfloat16 const* b, __nv_bfloat16* c, int m, int k, int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[column * k + i]);
    c[row * n + column] = __float2bfloat16(sum);
}
