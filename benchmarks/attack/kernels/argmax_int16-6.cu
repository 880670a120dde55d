// SPDX-License-Identifier: BSL-1.0
// out of bounds: in wide rows the second element of each step is loaded without a check; the last row reads past the end of x | ProblemSize[0]=20, ProblemSize[1]=589
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int best[32], at[32];
    int const row = blockIdx.x, t = threadIdx.x;
    bool const wide = cols > 10 * 32;
    int value = -32769, index = cols;
    for (int i = t; i < cols; i += 64) {
        int const one = x[row * cols + i];
        int two = -32769;
        if (wide || i + 32 < cols) two = x[row * cols + i + 32];
        if (one > value) {
            value = one;
            index = i;
        }
        if (two > value && i + 32 < cols) {
            value = two;
            index = i + 32;
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
