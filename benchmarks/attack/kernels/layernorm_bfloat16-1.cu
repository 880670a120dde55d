// SPDX-License-Identifier: BSL-1.0
// one-pass variance about a pivot taken from the first row of the block; if another row of the same block lies far from that pivot with a tiny spread, sum(d*d)/n - m*m cancels and the scale is wrong | ProblemSize[0]=80, ProblemSize[1]=600
#include <cuda_bf16.h>

__global__ void layernorm_bfloat16(__nv_bfloat16 const* x,
                                   __nv_bfloat16 const* gain,
                                   __nv_bfloat16* y,
                                   int rows,
                                   int cols) {
    int const first = blockIdx.x * blockDim.x;
    int const row = first + threadIdx.x;
    if (row >= rows) return;
    float const pivot = __bfloat162float(x[first * cols]);
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < cols; ++i) {
        float const d = __bfloat162float(x[row * cols + i]) - pivot;
        sum += d;
        squares += d * d;
    }
    float const shift = sum / cols;
    float const variance = fmaxf(squares / cols - shift * shift, 0.0f);
    float const mean = pivot + shift;
    float const scale = rsqrtf(variance + 1e-3f);
    for (int i = 0; i < cols; ++i)
        y[row * cols + i] = __float2bfloat16((__bfloat162float(x[row * cols + i]) - mean) * scale *
                                             __bfloat162float(gain[i]));
}
