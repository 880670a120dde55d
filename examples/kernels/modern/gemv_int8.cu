// SPDX-License-Identifier: BSL-1.0
// y = scale * (w x), row by row: w has `rows` rows of `columns` integers of 8 bits, x is a vector
// of such integers; sums are in integers of 32 bits, and each row has a scale. One thread a row.
__global__ void gemv_int8(signed char const* w,
                          float const* scales,
                          signed char const* x,
                          float* y,
                          int rows,
                          int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    for (int i = 0; i < columns; ++i) sum += w[row * columns + i] * x[i];
    y[row] = scales[row] * sum;
}
