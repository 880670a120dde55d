// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
