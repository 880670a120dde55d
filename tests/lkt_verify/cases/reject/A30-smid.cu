// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    unsigned where;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(where));
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && where % 2 == 0) c[i] = a[i] + b[i];
}
