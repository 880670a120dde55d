// SPDX-License-Identifier: BSL-1.0
#include <cuda_bf16.h>

// A thread a row; sums in float.
__global__ void layernorm_bfloat16(__nv_bfloat16 const* x,
                                   __nv_bfloat16 const* gain,
                                   __nv_bfloat16* y,
                                   int rows,
                                   int cols) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) sum += __bfloat162float(x[row * cols + i]);
    float const mean = sum / cols;
    float squares = 0.0f;
    for (int i = 0; i < cols; ++i) {
        float const d = __bfloat162float(x[row * cols + i]) - mean;
        squares += d * d;
    }
    float const scale = rsqrtf(squares / cols + 1e-3f);
    for (int i = 0; i < cols; ++i)
        y[row * cols + i] = __float2bfloat16((__bfloat162float(x[row * cols + i]) - mean) * scale *
                                             __bfloat162float(gain[i]));
}
