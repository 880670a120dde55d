// SPDX-License-Identifier: BSL-1.0
__global__ void transpose(float const* x, float* y, int rows, int cols) {
    __shared__ float tile[32][33];
    int const column = blockIdx.x * 16 + threadIdx.x % 16, row = blockIdx.y * 16 + threadIdx.y % 16;
    if (row < rows && column < cols) tile[threadIdx.y % 16][threadIdx.x % 16] = x[row * cols + column];
    __syncthreads();
    int const r = blockIdx.y * 16 + threadIdx.x % 16, c = blockIdx.x * 16 + threadIdx.y % 16;
    if (r < rows && c < cols) y[c * rows + r] = tile[threadIdx.x % 16][threadIdx.y % 16];
}
