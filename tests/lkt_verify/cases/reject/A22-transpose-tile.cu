// SPDX-License-Identifier: BSL-1.0
__global__ void transpose(float const* x, float* y, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int const column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && column < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + column];
    int const r = blockIdx.y * TILE + threadIdx.x, c = blockIdx.x * TILE + threadIdx.y;
    if (r < rows && c < cols) y[c * rows + r] = tile[threadIdx.x][threadIdx.y];
}
