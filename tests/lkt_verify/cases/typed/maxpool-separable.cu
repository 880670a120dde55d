// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T* y, int rows, int cols) {
    __shared__ T across[18][16];
    int const col = blockIdx.x * 16 + threadIdx.x;
    for (int k = threadIdx.y; k < 18; k += 16) {
        int const row = min(max(int(blockIdx.y) * 16 + k - 1, 0), rows - 1);
        if (col >= cols) continue;
        T most = x[row * cols + col];
        if (col > 0 && up(x[row * cols + col - 1]) > up(most)) most = x[row * cols + col - 1];
        if (col + 1 < cols && up(x[row * cols + col + 1]) > up(most)) most = x[row * cols + col + 1];
        across[k][threadIdx.x] = most;
    }
    __syncthreads();
    int const row = blockIdx.y * 16 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    T most = across[threadIdx.y][threadIdx.x];
    for (int k = 1; k < 3; ++k)
        if (up(across[threadIdx.y + k][threadIdx.x]) > up(most)) most = across[threadIdx.y + k][threadIdx.x];
    y[row * cols + col] = most;
}
