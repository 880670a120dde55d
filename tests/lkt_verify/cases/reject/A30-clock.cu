// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    long long const begin = clock64();
    while (clock64() - begin < 1000) {}
    if (i < n) c[i] = a[i] + b[i];
}
