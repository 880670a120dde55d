// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    __shared__ A part[32];
    int const t = threadIdx.x, each = (cols + 31) / 32;
    A even = 0, odd = 0;
    for (int i = t * each; i < (t + 1) * each && i < cols; ++i) {
        A const v = up(x[blockIdx.x * cols + i]);
        if (i & 1) odd += v;
        else even += v;
    }
    part[t] = even + odd;
    __syncthreads();
    if (t != 0) return;
    A sum = 0;
    for (int i = 0; i < 32; ++i) sum += part[i];
    y[blockIdx.x] = down(sum);
}
