// SPDX-License-Identifier: BSL-1.0
// y = scale (w x) for each of a few vectors x: w has `rows` rows of `columns` weights of 4 bits
// (e2m1), two in a byte, the lower bits first, with a scale of 8 bits (e4m3) for 16 weights of a
// row. One thread an element of y.
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

__global__ void gemv_nvfp4(__nv_fp4x2_e2m1 const* w,
                           __nv_fp8_e4m3 const* scales,
                           __half const* x,
                           __half* y,
                           float scale,
                           int rows,
                           int columns,
                           int batch) {
    int const element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= rows * batch) return;
    int const row = element % rows, vector = element / rows;
    float sum = 0.0f;
    for (int i = 0; i < columns; i += 2) {
        float2 const two = static_cast<float2>(w[(row * columns + i) / 2]);
        float const group = static_cast<float>(scales[(row * columns + i) / 16]);
        sum += two.x * group * __half2float(x[vector * columns + i]);
        sum += two.y * group * __half2float(x[vector * columns + i + 1]);
    }
    y[element] = __float2half(scale * sum);
}
