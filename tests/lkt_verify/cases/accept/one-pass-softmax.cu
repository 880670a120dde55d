// SPDX-License-Identifier: BSL-1.0
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    float const* const mine = x + blockIdx.x * cols;
    float largest = mine[0], sum = 1.0f;
    for (int i = 1; i < cols; ++i) {
        float const now = fmaxf(largest, mine[i]);
        sum = sum * expf(largest - now) + expf(mine[i] - now);
        largest = now;
    }
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = expf(mine[i] - largest) / sum;
}
