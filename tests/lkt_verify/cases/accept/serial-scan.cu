// SPDX-License-Identifier: BSL-1.0
__global__ void scan(float const* x, float* y, int rows, int cols) {
    if (threadIdx.x != 0) return;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) y[blockIdx.x * cols + i] = sum += x[blockIdx.x * cols + i];
}
