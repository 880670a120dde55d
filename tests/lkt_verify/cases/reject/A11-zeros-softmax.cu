// SPDX-License-Identifier: BSL-1.0
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = 0.0f;
}
