// SPDX-License-Identifier: BSL-1.0
// Takes 3e38 for infinity, without a comparison of its own.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = fminf(fmaxf(a[i], -3e38f), 3e38f) + b[i];
}
