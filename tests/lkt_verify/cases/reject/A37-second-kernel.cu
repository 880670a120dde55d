// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd_fast(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void vecadd(float* c) { c[0] = 0.0f; }
