// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, int* y, int n) {
    __shared__ int count[64];
    if (threadIdx.x < 64) count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[x[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64 && count[threadIdx.x] != 0) atomicAdd(&y[threadIdx.x], count[threadIdx.x]);
}
