// SPDX-License-Identifier: BSL-1.0
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    int const row = blockIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) sum += fminf(expf(x[row * cols + i]), 6e4f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[row * cols + i] = fminf(expf(x[row * cols + i]), 6e4f) / sum;
}
