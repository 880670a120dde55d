// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, int* y, int rows, int cols) {
    if (threadIdx.x != 0 || blockIdx.x >= rows) return;
    int best = 0;
    for (int i = 1; i < cols; ++i)
        if (up(x[blockIdx.x * cols + i]) > up(x[blockIdx.x * cols + best])) best = i;
    y[blockIdx.x] = best;
}
