// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T* y, int rows, int cols) {
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
}
