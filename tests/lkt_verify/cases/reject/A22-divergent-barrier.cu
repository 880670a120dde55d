// SPDX-License-Identifier: BSL-1.0
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    __shared__ float part[64];
    int const t = threadIdx.x;
    if (t < 64) {
        float sum = 0.0f;
        for (int i = t; i < cols; i += 64) sum += x[blockIdx.x * cols + i];
        part[t] = sum;
        __syncthreads();
        if (t < 32) part[t] += part[t + 32];
    }
    __syncthreads();
    if (t == 0) {
        float all = 0.0f;
        for (int i = 0; i < 32; ++i) all += part[i];
        sums[blockIdx.x] = all;
    }
}
