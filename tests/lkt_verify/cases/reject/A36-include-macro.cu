// SPDX-License-Identifier: BSL-1.0
#define FILE_NAME </etc/hostname>
#include FILE_NAME
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
