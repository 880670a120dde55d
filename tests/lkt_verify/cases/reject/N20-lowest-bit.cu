// SPDX-License-Identifier: BSL-1.0
__global__ void transpose(float const* x, float* y, int rows, int cols) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= cols) return;
    y[column * rows + row] = __int_as_float(__float_as_int(x[row * cols + column]) & ~1);
}
