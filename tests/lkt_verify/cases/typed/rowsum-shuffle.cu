// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    A sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) sum += up(x[blockIdx.x * cols + i]);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) y[blockIdx.x] = down(sum);
}
