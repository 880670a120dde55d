// SPDX-License-Identifier: BSL-1.0
// out of bounds: for n > 16384 the prefetch of the next byte is unguarded and reads past the end of x in the last chunk | ProblemSize[0]=39999
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int const begin = blockIdx.x * 1024;
    int const end = min(n, begin + 1024);
    int const step = blockDim.x;
    bool const stream = n >> 14 != 0;
    int i = begin + threadIdx.x;
    if (i < end) {
        unsigned char value = x[i];
        while (i < end) {
            unsigned char next = 0;
            if (stream || i + step < end) next = x[i + step];
            atomicAdd(&local[value], 1u);
            value = next;
            i += step;
        }
    }
    __syncthreads();
    for (int j = threadIdx.x; j < 256; j += blockDim.x) counts[blockIdx.x * 256 + j] = local[j];
}
