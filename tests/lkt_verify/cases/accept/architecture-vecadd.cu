// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if __CUDA_ARCH__ >= 700
    c[i] = __ldg(a + i) + __ldg(b + i);
#else
    c[i] = a[i] + b[i];
#endif
}
