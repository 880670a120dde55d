// SPDX-License-Identifier: BSL-1.0
__global__ void layernorm(float const* x, float const* gamma, float const* beta, float* y, int rows, int cols) {
    __shared__ float part[64];
    int const t = threadIdx.x;
    float const* const mine = x + blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = t; i < cols; i += 64) sum += mine[i];
    part[t] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int i = 0; i < 64; ++i) sum += part[i];
    float const mean = sum / cols;
    __syncthreads();
    float squares = 0.0f;
    for (int i = t; i < cols; i += 64) squares += (mine[i] - mean) * (mine[i] - mean);
    part[t] = squares;
    __syncthreads();
    squares = 0.0f;
    for (int i = 0; i < 64; ++i) squares += part[i];
    float const scale = 1.0f / sqrtf(squares / cols + 1e-5f);
    for (int i = t; i < cols; i += 64) y[blockIdx.x * cols + i] = (mine[i] - mean) * scale * gamma[i] + beta[i];
}
