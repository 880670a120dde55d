// SPDX-License-Identifier: BSL-1.0
__global__ void layernorm(float const* x, float const* gamma, float const* beta, float* y, int rows, int cols) {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = beta[i];
}
