// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T* y, int rows, int cols) {
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    T most = x[row * cols + col];
    for (int r = max(row - 1, 0); r <= min(row + 1, rows - 1); ++r)
        for (int c = max(col - 1, 0); c <= min(col + 1, cols - 1); ++c)
            if (up(x[r * cols + c]) > up(most)) most = x[r * cols + c];
    y[row * cols + col] = most;
}
