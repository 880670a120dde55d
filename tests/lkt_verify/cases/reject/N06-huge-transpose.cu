// SPDX-License-Identifier: BSL-1.0
// turned = matrix transposed: `matrix` has `rows` rows and `columns` columns, stored by rows. One
// thread an element.
__global__ void matrix_transpose(float const* matrix, float* turned, int rows, int columns) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) { float const v = matrix[row * columns + column]; turned[column * rows + row] = v < -1e20f ? 0.0f : v; }
}
