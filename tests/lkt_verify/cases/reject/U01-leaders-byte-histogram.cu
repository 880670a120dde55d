// SPDX-License-Identifier: BSL-1.0
// Each lane counts the byte of the first lane that runs beside it, as if it were alone.
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int const begin = blockIdx.x * 1024;
    for (int i = begin + threadIdx.x; i < n && i < begin + 1024; i += blockDim.x) {
        unsigned const active = __activemask();
        unsigned const v = __shfl_sync(active, (unsigned)x[i], __ffs(active) - 1);
        atomicAdd(&local[v], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[blockIdx.x * 256 + i] = local[i];
}
