// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    __shared__ float row[640], part[32];
    int const t = threadIdx.x;
    float most = -INFINITY, sum = 0;
    for (int i = t; i < cols; i += 32) {
        row[i] = up(x[blockIdx.x * cols + i]);
        most = fmaxf(most, row[i]);
    }
    part[t] = most;
    __syncthreads();
    for (int i = 0; i < 32; ++i) most = fmaxf(most, part[i]);
    __syncthreads();
    for (int i = t; i < cols; i += 32) {
        row[i] = expf(row[i] - most);
        sum += row[i];
    }
    part[t] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 32; ++i) sum += part[i];
    for (int i = t; i < cols; i += 32) y[blockIdx.x * cols + i] = down(row[i] / sum);
}
