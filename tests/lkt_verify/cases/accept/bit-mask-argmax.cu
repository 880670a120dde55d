// SPDX-License-Identifier: BSL-1.0
// A bit for each place of the largest value; a word is turned, by nothing too.
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int top;
    __shared__ unsigned mask[19];
    int const row = blockIdx.x, t = threadIdx.x;
    short const* in = x + row * cols;
    if (t == 0) top = -32769;
    if (t < 19) mask[t] = 0u;
    __syncthreads();
    int value = -32769;
    for (int i = t; i < cols; i += 32) value = max(value, (int)in[i]);
    atomicMax(&top, value);
    __syncthreads();
    value = top;
    for (int i = t; i < cols; i += 32)
        if (in[i] == value) atomicOr(&mask[i >> 5], 1u << (i & 31));
    __syncthreads();
    if (t == 0) {
        int k = 0;
        while (mask[k] == 0u) ++k;
        unsigned const turned = mask[k] << k | mask[k] >> (32 - k); // by 32 where k is 0
        place[row] = k * 32 + __ffs(turned >> k | turned << (32 - k)) - 1;
    }
}
