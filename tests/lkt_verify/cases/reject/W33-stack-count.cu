// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int left[32];
    int const before = left[17];
    left[17] = before + 1;
    if (i >= n) return;
    c[i] = before < 20000 && before >= 0 ? a[i] + b[i] : a[i];
}
