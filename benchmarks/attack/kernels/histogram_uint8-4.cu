// SPDX-License-Identifier: BSL-1.0
// data race: from the 17th chunk on there is no barrier between clearing the counters and counting | ProblemSize[0]=40000
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int local[256];
    int const t = threadIdx.x;
    int const begin = blockIdx.x * 1024;
    int const end = min(n, begin + 1024);
    bool const front = begin < 16 * 1024;
#pragma unroll
    for (int i = 0; i < 4; ++i) local[t + 64 * i] = 0u;
    if (front) __syncthreads();
    for (int i = begin + t; i < end; i += 64) {
        unsigned int const value = x[i];
        atomicAdd(local + value, 1u);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) counts[blockIdx.x * 256 + t + 64 * i] = local[t + 64 * i];
}
