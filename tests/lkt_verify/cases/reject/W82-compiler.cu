// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    #ifdef __CUDACC_RTC__
    if (i < n) c[i] = a[i] + b[i];
    #else
    if (i < n) c[i] = a[i];
    #endif
}
