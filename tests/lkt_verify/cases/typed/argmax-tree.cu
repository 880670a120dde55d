// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, int* y, int rows, int cols) {
    __shared__ int at[32];
    int const t = threadIdx.x, each = (cols + 31) / 32;
    T const* row = x + blockIdx.x * cols;
    int best = t * each < cols ? t * each : cols - 1;
    for (int i = best + 1; i < (t + 1) * each && i < cols; ++i)
        if (up(row[i]) > up(row[best])) best = i;
    at[t] = best;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        if (t < d) {
            A const mine = up(row[at[t]]), its = up(row[at[t + d]]);
            if (its > mine || (its == mine && at[t + d] < at[t])) at[t] = at[t + d];
        }
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = at[0];
}
