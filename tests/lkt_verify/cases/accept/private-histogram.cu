// SPDX-License-Identifier: BSL-1.0
__global__ void histogram(int const* x, int* counts, int n) {
    __shared__ int mine[64];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 64 && mine[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
