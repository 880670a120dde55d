// SPDX-License-Identifier: BSL-1.0
__global__ void rowmean(float const* x, float* means, int rows, int cols) {
    __shared__ float all;
    if (threadIdx.x == 0) all = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += x[blockIdx.x * cols + i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&all, sum);
    __syncthreads();
    if (threadIdx.x == 0) means[blockIdx.x] = all / cols;
}
