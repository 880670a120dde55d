// SPDX-License-Identifier: BSL-1.0
__global__ void rowmax(float const* x, float* most, int rows, int cols) {
    int const row = blockIdx.x;
    if (row >= rows || threadIdx.x != 0) return;
    float best = x[row * cols];
    for (int i = 1; i < cols; ++i) best = fmaxf(best, x[row * cols + i]);
    most[row] = best;
}
