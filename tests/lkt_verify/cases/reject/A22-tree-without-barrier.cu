// SPDX-License-Identifier: BSL-1.0
__global__ void rowmean(float const* x, float* means, int rows, int cols) {
    __shared__ float part[128];
    int const t = threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < cols; i += 128) sum += x[blockIdx.x * cols + i];
    part[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (t < half) part[t] += part[t + half];
    if (t == 0) means[blockIdx.x] = part[0] / cols;
}
