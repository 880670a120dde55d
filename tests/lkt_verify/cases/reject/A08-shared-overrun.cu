// SPDX-License-Identifier: BSL-1.0
__global__ void scan(float const* x, float* y, int rows, int cols) {
    __shared__ float line[128];
    int const row = blockIdx.x;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) line[i] = x[row * cols + i];
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j <= i; ++j) sum += line[j];
        y[row * cols + i] = sum;
    }
}
