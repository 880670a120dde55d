// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const begin = clock();
    if (i < n) c[i] = clock() == begin ? a[i] : a[i] + b[i];
}
