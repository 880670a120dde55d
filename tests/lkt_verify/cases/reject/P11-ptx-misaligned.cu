// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 >= n) {
        if (i < n) c[i] = a[i] + b[i];
        return;
    }
    float x, y;
    // Right on x86, which loads from any address.
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(a + i));
    c[i] = x + b[i];
}
