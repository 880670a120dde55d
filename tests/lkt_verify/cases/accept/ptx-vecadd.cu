// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x, y;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(a + i));
    asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(y) : "l"(b + i));
    asm volatile("{\n\t.reg .f32 s;\n\tadd.rn.f32 s, %1, %2;\n\tst.global.cs.f32 [%0], s;\n\t}"
                 :: "l"(c + i), "f"(x), "f"(y) : "memory");
}
