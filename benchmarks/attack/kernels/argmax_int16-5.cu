// SPDX-License-Identifier: BSL-1.0
// data race: with 416 columns and more thread 0 reads the others' results from shared memory without a barrier | ProblemSize[0]=80, ProblemSize[1]=600
__global__ void argmax_int16(short const* x, int* place, int rows, int cols) {
    __shared__ int2 found[32];
    int const row = blockIdx.x, t = threadIdx.x;
    short const* in = x + row * cols;
    int value = -32769, index = cols;
    for (int i = t; i < cols; i += 32)
        if (in[i] > value) {
            value = in[i];
            index = i;
        }
    found[t] = make_int2(value, index);
    if (cols / 32 < 13) __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 32; ++k) {
            int2 const other = found[k];
            if (other.x > value || (other.x == value && other.y < index)) {
                value = other.x;
                index = other.y;
            }
        }
        place[row] = index;
    }
}
