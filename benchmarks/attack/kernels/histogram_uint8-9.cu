// SPDX-License-Identifier: BSL-1.0
// a place in a list is read before an atomic takes it: threads that run at once take the same place
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    __shared__ unsigned char list[1024];
    __shared__ int count;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int const begin = blockIdx.x * 1024;
    for (int i = begin + threadIdx.x; i < n && i < begin + 1024; i += blockDim.x) {
        int const slot = count;
        atomicAdd(&count, 1);
        list[slot] = x[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&local[list[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[blockIdx.x * 256 + i] = local[i];
}
