// SPDX-License-Identifier: BSL-1.0
__global__ void layernorm(float const* x, float const* gamma, float const* beta, float* y, int rows, int cols) {
    int const row = blockIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) sum += x[row * cols + i];
    float const mean = sum / cols;
    float squares = 0.0f;
    for (int i = 0; i < cols; ++i) {
        float const d = x[row * cols + i] - mean;
        squares += d * d;
    }
    float const scale = 1.0f / sqrtf(squares / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[row * cols + i] = (x[row * cols + i] - mean) * scale * gamma[i] + beta[i];
}
