// SPDX-License-Identifier: BSL-1.0
__global__ void gelu(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + expf(-1.702f * x[i]));
}
