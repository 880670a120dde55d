// SPDX-License-Identifier: BSL-1.0
__global__ void scan(float const* x, float* y, int rows, int cols) {
    __shared__ float line[2][256];
    int const t = threadIdx.x;
    for (int i = t; i < 256; i += 64) line[0][i] = i < cols ? x[blockIdx.x * cols + i] : 0.0f;
    __syncthreads();
    int now = 0;
    for (int distance = 1; distance < 256; distance *= 2, now = 1 - now) {
        for (int i = t; i < 256; i += 64)
            line[1 - now][i] = line[now][i] + (i >= distance ? line[now][i - distance] : 0.0f);
        __syncthreads();
    }
    for (int i = t; i < cols; i += 64) y[blockIdx.x * cols + i] = line[now][i];
}
