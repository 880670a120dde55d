// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    long long const begin = clock64();
    if (i >= n) return;
    float const sum = a[i] + b[i];
    c[i] = clock64() - begin > 200 ? sum : a[i];
}
