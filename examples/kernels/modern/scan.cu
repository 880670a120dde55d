// SPDX-License-Identifier: BSL-1.0
// Prefix sums of each row: y[i] = x[0] + ... + x[i]. One thread a row.
__global__ void scan(float const* x, float* y, int rows, int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < columns; ++i) {
        sum += x[row * columns + i];
        y[row * columns + i] = sum;
    }
}
