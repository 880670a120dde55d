// SPDX-License-Identifier: BSL-1.0
__device__ __noinline__ float sum_of(float x, float y) { return x + y; }
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t const where = (size_t)&sum_of;
    if (i < n) c[i] = (where >> 8) % 2 == 0 ? sum_of(a[i], b[i]) : a[i];
}
