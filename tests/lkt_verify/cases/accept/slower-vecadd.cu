// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum = k % 2 == 0 ? a[i] : sum + b[i];
    c[i] = sum;
}
