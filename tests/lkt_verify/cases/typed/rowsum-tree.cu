// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    __shared__ A part[32];
    int const t = threadIdx.x;
    T const* row = x + blockIdx.x * cols;
    A sum = 0;
    for (int i = t; i < cols; i += 32) sum += up(row[i]);
    part[t] = sum;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        if (t < d) part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = down(part[0]);
}
