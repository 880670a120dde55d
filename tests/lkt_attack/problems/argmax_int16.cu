// SPDX-License-Identifier: BSL-1.0
// The place of each row's largest element; of equal ones the first.
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int best[32], at[32];
    int const row = blockIdx.x, t = threadIdx.x;
    int value = -32769, index = cols;
    for (int i = t; i < cols; i += 32)
        if (x[row * cols + i] > value) {
            value = x[row * cols + i];
            index = i;
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
