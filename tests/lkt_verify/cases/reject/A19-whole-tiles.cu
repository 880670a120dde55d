// SPDX-License-Identifier: BSL-1.0
__global__ void transpose(float const* x, float* y, int rows, int cols) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows / TILE * TILE && column < cols / TILE * TILE) y[column * rows + row] = x[row * cols + column];
}
