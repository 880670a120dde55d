// SPDX-License-Identifier: BSL-1.0
// y = softmax(x), row by row, in half precision with sums in float. One thread a row.
#include <cuda_fp16.h>

__global__ void softmax(__half const* x, __half* y, int rows, int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = -INFINITY;
    for (int i = 0; i < columns; ++i) largest = fmaxf(largest, __half2float(x[row * columns + i]));
    float total = 0.0f;
    for (int i = 0; i < columns; ++i) total += expf(__half2float(x[row * columns + i]) - largest);
    for (int i = 0; i < columns; ++i)
        y[row * columns + i] =
            __float2half(expf(__half2float(x[row * columns + i]) - largest) / total);
}
