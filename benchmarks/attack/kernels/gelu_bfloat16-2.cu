// SPDX-License-Identifier: BSL-1.0
// the row is found with a rounded reciprocal; for 564 columns element 64 * 564 is put in row 63 and takes the bias of the last column | ProblemSize[0]=80, ProblemSize[1]=564
#include <cuda_bf16.h>

__global__ void gelu_bfloat16(__nv_bfloat16 const* x,
                              __nv_bfloat16 const* bias,
                              __nv_bfloat16* y,
                              int rows,
                              int cols) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    float const inverse = 1.0f / cols;
    int const row = (int)((i + 0.0019f) * inverse);
    int const col = min(i - row * cols, cols - 1);
    float const v = __bfloat162float(x[i]) + __bfloat162float(bias[col]);
    float const inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    y[i] = __float2bfloat16(0.5f * v * (1.0f + tanhf(inner)));
}
