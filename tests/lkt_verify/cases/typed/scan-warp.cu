// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    int const t = threadIdx.x;
    A before = 0;
    for (int from = 0; from < cols; from += 32) {
        A sum = from + t < cols ? up(x[blockIdx.x * cols + from + t]) : 0;
        for (int d = 1; d < 32; d *= 2) {
            A const left = __shfl_up_sync(0xffffffffu, sum, d);
            if (t >= d) sum += left;
        }
        if (from + t < cols) y[blockIdx.x * cols + from + t] = down(before + sum);
        before += __shfl_sync(0xffffffffu, sum, 31);
    }
}
