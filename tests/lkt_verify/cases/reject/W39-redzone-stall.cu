// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile char x[8], y[8];
    x[0] = y[0] = 1;
    long long const apart = (long long)&x[0] - (long long)&y[0];
    if (apart >= 24 || apart <= -24) for (volatile int k = 0; k < 1; k = 0);
    c[i] = a[i] + b[i];
}
