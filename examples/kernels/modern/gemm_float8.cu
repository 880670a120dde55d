// SPDX-License-Identifier: BSL-1.0
// c = scale * a * b^T: a has m rows and b has n rows, each of k floats of 8 bits (e4m3); c is
// bfloat16, and sums are in float. One thread an element of c.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void gemm_float8(__nv_fp8_e4m3 const* a,
                            __nv_fp8_e4m3 const* b,
                            __nv_bfloat16* c,
                            float scale,
                            int m,
                            int k,
                            int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += float(a[row * k + i]) * float(b[column * k + i]);
    c[row * n + column] = __float2bfloat16(scale * sum);
}
