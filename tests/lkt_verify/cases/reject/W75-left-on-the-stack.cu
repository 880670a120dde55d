// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile unsigned left[16];
    unsigned const before = left[i & 15];
    left[i & 15] = 0x5eedu;
    if (i < n) c[i] = before == 0x5eedu ? a[i] : a[i] + b[i];
}
