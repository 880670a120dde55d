// SPDX-License-Identifier: BSL-1.0
#include <cuda_bf16.h>
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __bfloat162float(__float2bfloat16(a[i] + b[i]));
}
