// SPDX-License-Identifier: BSL-1.0
__global__ void accurate_sum(float const* x, float* sums, int rows, int cols) {
    __shared__ double part[64];
    int const t = threadIdx.x;
    double sum = 0.0;
    for (int i = t; i < cols; i += 64) sum += x[blockIdx.x * cols + i];
    part[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = float(part[0]);
}
