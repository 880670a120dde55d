// SPDX-License-Identifier: BSL-1.0
template <int size> __device__ void turn(float const* x, float* y, int rows, int cols) {
    static_assert(size == 8 || size == 16 || size == 32);
    int const column = blockIdx.x * size + threadIdx.x, row = blockIdx.y * size + threadIdx.y;
    if (row < rows && column < cols) y[column * rows + row] = x[row * cols + column];
}
__global__ void transpose(float const* x, float* y, int rows, int cols) { turn<TILE>(x, y, rows, cols); }
