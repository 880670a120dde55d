// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
