// SPDX-License-Identifier: BSL-1.0
// a place in a list is read before an atomic takes it: threads that run at once take the same place
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int count, values[32], at[32];
    int const row = blockIdx.x, t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    int value = -32769, index = cols;
    for (int i = t; i < cols; i += 32)
        if (x[row * cols + i] > value) { value = x[row * cols + i]; index = i; }
    if (index < cols) {
        int const slot = count;
        atomicAdd(&count, 1);
        values[slot] = value;
        at[slot] = index;
    }
    __syncthreads();
    if (t == 0) {
        value = -32769;
        for (int k = 0; k < count; ++k)
            if (values[k] > value || (values[k] == value && at[k] < index)) { value = values[k]; index = at[k]; }
        place[row] = index;
    }
}
