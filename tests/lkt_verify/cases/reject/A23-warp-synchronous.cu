// SPDX-License-Identifier: BSL-1.0
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    __shared__ volatile float part[128];
    int const t = threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < cols; i += 128) sum += x[blockIdx.x * cols + i];
    part[t] = sum;
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) {
        part[t] += part[t + 32];
        part[t] += part[t + 16];
        part[t] += part[t + 8];
        part[t] += part[t + 4];
        part[t] += part[t + 2];
        part[t] += part[t + 1];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
