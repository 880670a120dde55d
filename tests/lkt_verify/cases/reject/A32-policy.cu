// SPDX-License-Identifier: BSL-1.0
__global__ void saxpy(float const* x, float* y, float alpha, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (i >= n) return;
    float v;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(policy));
    y[i] = alpha * v + y[i];
}
