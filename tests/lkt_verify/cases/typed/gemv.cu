// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* x, O* y, int rows, int cols) {
    if (threadIdx.x != 0 || blockIdx.x >= rows) return;
    A sum = 0;
    for (int i = 0; i < cols; ++i) sum += up(a[blockIdx.x * cols + i]) * up(x[i]);
    y[blockIdx.x] = down(sum);
}
