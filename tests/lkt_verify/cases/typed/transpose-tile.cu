// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T* y, int rows, int cols) {
    __shared__ T tile[16][17];
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
    __syncthreads();
    int const to = blockIdx.y * 16 + threadIdx.x, from = blockIdx.x * 16 + threadIdx.y;
    if (from < cols && to < rows) y[from * rows + to] = tile[threadIdx.x][threadIdx.y];
}
