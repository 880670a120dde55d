// SPDX-License-Identifier: BSL-1.0
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    int const row = blockIdx.x;
    if (threadIdx.x != 0) return;
    float* const mine = (float*)(x + row * cols);
    float largest = mine[0];
    for (int i = 1; i < cols; ++i) largest = fmaxf(largest, mine[i]);
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) sum += mine[i] = expf(mine[i] - largest);
    for (int i = 0; i < cols; ++i) y[row * cols + i] = mine[i] / sum;
}
