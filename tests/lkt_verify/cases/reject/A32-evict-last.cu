// SPDX-License-Identifier: BSL-1.0
__device__ float kept(float const* p) {
    float v;
    asm volatile("ld.global.L2::evict_last.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = kept(a + i) + kept(b + i);
}
