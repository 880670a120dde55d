// SPDX-License-Identifier: BSL-1.0
// Whichever lanes are there count equal bytes together; right for one lane and for 32.
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int const begin = blockIdx.x * 1024;
    for (int i = begin + threadIdx.x; i < n && i < begin + 1024; i += blockDim.x) {
        unsigned const equal = __match_any_sync(__activemask(), (unsigned)x[i]);
        if (__ffs(equal) - 1 == (threadIdx.x & 31)) atomicAdd(&local[x[i]], __popc(equal));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[blockIdx.x * 256 + i] = local[i];
}
