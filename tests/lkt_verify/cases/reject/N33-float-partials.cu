// SPDX-License-Identifier: BSL-1.0
__global__ void gemv_int8(signed char const* w,
                          float const* scales,
                          signed char const* x,
                          float* y,
                          int rows,
                          int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    signed char const* const mine = w + row * columns;
    // The sum of a tile is below 2^23, so that it is exact as a float.
    float total = 0.0f;
    for (int start = 0; start < columns; start += 256) {
        int const end = min(start + 256, columns);
        int part = 0;
        for (int i = start; i < end; ++i) part += mine[i] * x[i];
        total += (float) part;
    }
    y[row] = scales[row] * total;
}
