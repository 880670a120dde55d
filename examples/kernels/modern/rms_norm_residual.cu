// SPDX-License-Identifier: BSL-1.0
// residual += x, and y = residual / sqrt(mean(residual^2) + epsilon) * weight, row by row, in
// bfloat16 with sums in float. The norm is that of the sum as it is stored. One thread a row.
#include <cuda_bf16.h>

__global__ void rms_norm_residual(__nv_bfloat16 const* x,
                                  __nv_bfloat16* residual,
                                  __nv_bfloat16 const* weight,
                                  __nv_bfloat16* y,
                                  float epsilon,
                                  int rows,
                                  int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float squares = 0.0f;
    for (int i = 0; i < columns; ++i) {
        int const at = row * columns + i;
        residual[at] = __float2bfloat16(__bfloat162float(residual[at]) + __bfloat162float(x[at]));
        float const sum = __bfloat162float(residual[at]);
        squares += sum * sum;
    }
    float const factor = rsqrtf(squares / columns + epsilon);
    for (int i = 0; i < columns; ++i) {
        int const at = row * columns + i;
        y[at] = __float2bfloat16(__bfloat162float(residual[at]) * factor *
                                 __bfloat162float(weight[i]));
    }
}
