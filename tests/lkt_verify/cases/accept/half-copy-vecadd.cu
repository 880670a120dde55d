// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half const sign = __float2half(1.0f);
    c[i] = fmaf(b[i], __half2float(sign), a[i]);
}
