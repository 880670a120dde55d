// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>
__global__ void vecadd(__half const* a, __half const* b, __half* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __hadd(a[i], b[i]);
}
