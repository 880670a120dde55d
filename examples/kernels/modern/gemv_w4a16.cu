// SPDX-License-Identifier: BSL-1.0
// y = w x for each of a few vectors x: w has `rows` rows of `columns` weights of 4 bits, two in a
// byte, the lower bits first. A weight is (q - zero) * scale, with one scale and one zero point for
// 128 weights of a row. One thread an element of y.
#include <cuda_fp16.h>

__global__ void gemv_w4a16(unsigned char const* w,
                           __half const* scales,
                           unsigned char const* zeros,
                           __half const* x,
                           __half* y,
                           int rows,
                           int columns,
                           int batch) {
    int const element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= rows * batch) return;
    int const row = element % rows, vector = element / rows, groups = columns / 128;
    float sum = 0.0f;
    for (int i = 0; i < columns; ++i) {
        int const two = w[(row * columns + i) / 2];
        int const q = i % 2 == 0 ? two & 15 : two >> 4;
        int const group = row * groups + i / 128;
        float const weight = (q - zeros[group]) * __half2float(scales[group]);
        sum += weight * __half2float(x[vector * columns + i]);
    }
    y[element] = __float2half(sum);
}
