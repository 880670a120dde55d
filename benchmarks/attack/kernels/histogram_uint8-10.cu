// SPDX-License-Identifier: BSL-1.0
// a count is read, and written back by an exchange: what others count meanwhile is lost
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int const begin = blockIdx.x * 1024;
    for (int i = begin + threadIdx.x; i < n && i < begin + 1024; i += blockDim.x)
        atomicExch(&local[x[i]], local[x[i]] + 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[blockIdx.x * 256 + i] = local[i];
}
