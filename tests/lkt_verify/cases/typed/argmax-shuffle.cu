// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, int* y, int rows, int cols) {
    T const* row = x + blockIdx.x * cols;
    int best = threadIdx.x < cols ? threadIdx.x : 0;
    A value = up(row[best]);
    for (int i = threadIdx.x + 32; i < cols; i += 32)
        if (up(row[i]) > value) {
            best = i;
            value = up(row[i]);
        }
    for (int d = 16; d > 0; d /= 2) {
        int const other = __shfl_down_sync(0xffffffffu, best, d);
        A const its = __shfl_down_sync(0xffffffffu, value, d);
        if (its > value || (its == value && other < best)) {
            best = other;
            value = its;
        }
    }
    if (threadIdx.x == 0) y[blockIdx.x] = best;
}
