// SPDX-License-Identifier: BSL-1.0
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    __shared__ float all;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += x[blockIdx.x * cols + i];
    atomicAdd(&all, sum);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}
