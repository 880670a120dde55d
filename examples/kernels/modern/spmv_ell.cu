// SPDX-License-Identifier: BSL-1.0
// y = A x with a sparse A in the ELL format: each row has room for `width` entries, a value and a
// column each, of which the first lengths[row] are in use. One thread a row.
__global__ void spmv_ell(float const* values,
                         int const* columns,
                         int const* lengths,
                         float const* x,
                         float* y,
                         int rows,
                         int width) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < lengths[row]; ++i)
        sum += values[row * width + i] * x[columns[row * width + i]];
    y[row] = sum;
}
