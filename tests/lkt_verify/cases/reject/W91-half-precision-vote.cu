// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    __half const old = __float2half(i < n ? c[i] : 0.0f);
    int const none = __syncthreads_count(__hisnan(old) || __hisinf(old));
    if (i < n && none > 0) c[i] = a[i] + b[i];
}
