// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum;
    asm("add.f32 %0, %1, %2;" : "=f"(sum) : "f"(a[i]), "f"(b[i]));
    c[i] = sum;
}
