// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    __shared__ A total[32];
    int const t = threadIdx.x, each = (cols + 31) / 32;
    int const from = blockIdx.x * cols + t * each;
    int const mine = min(each, cols - t * each);
    A sum = 0;
    for (int i = 0; i < mine; ++i) sum += up(x[from + i]);
    total[t] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < t; ++i) sum += total[i];
    for (int i = 0; i < mine; ++i) {
        sum += up(x[from + i]);
        y[from + i] = down(sum);
    }
}
