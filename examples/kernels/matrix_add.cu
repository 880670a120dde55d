// SPDX-License-Identifier: BSL-1.0
// sum = a + b for matrices of `rows` rows and `columns` columns, stored by rows: one thread an element.
__global__ void matrix_add(float const* a, float const* b, float* sum, int rows, int columns) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        sum[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}
