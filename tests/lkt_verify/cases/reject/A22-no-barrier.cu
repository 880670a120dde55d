// SPDX-License-Identifier: BSL-1.0
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    __shared__ float part[128];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += x[blockIdx.x * cols + i];
    part[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int i = 0; i < blockDim.x; ++i) all += part[i];
        sums[blockIdx.x] = all;
    }
}
