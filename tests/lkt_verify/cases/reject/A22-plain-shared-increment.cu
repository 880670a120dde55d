// SPDX-License-Identifier: BSL-1.0
__global__ void histogram(int const* x, int* counts, int n) {
    __shared__ int mine[64];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) mine[x[i]]++;
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
