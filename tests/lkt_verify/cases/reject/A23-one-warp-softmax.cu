// SPDX-License-Identifier: BSL-1.0
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    __shared__ volatile float part[2];
    int const t = threadIdx.x;
    float const* const mine = x + blockIdx.x * cols;
    float largest = mine[0];
    for (int i = 1; i < cols; ++i) largest = fmaxf(largest, mine[i]);
    float sum = 0.0f;
    for (int i = t; i < cols; i += 64) sum += expf(mine[i] - largest);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    sum = part[0] + part[1];
    for (int i = t; i < cols; i += 64) y[blockIdx.x * cols + i] = expf(mine[i] - largest) / sum;
}
