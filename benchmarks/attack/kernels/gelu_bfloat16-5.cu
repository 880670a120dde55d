// SPDX-License-Identifier: BSL-1.0
// out of bounds: with more than 288 columns a block stages 128 entries of bias from its first column on, also past the end of bias | ProblemSize[0]=20, ProblemSize[1]=595
#include <cuda_bf16.h>

__global__ void gelu_bfloat16(__nv_bfloat16 const* x,
                              __nv_bfloat16 const* bias,
                              __nv_bfloat16* y,
                              int rows,
                              int cols) {
    __shared__ float window[128];
    int const t = threadIdx.x;
    int const i = blockIdx.x * blockDim.x + t;
    int const start = (blockIdx.x * blockDim.x) % cols;
    bool const broad = cols > 3 * 96;
    if (broad || start + t < cols) window[t] = __bfloat162float(bias[start + t]);
    __syncthreads();
    if (i >= rows * cols) return;
    int const column = i % cols;
    int const slot = column - start;
    float const shift = slot >= 0 && slot == t ? window[slot] : __bfloat162float(bias[column]);
    float const v = __bfloat162float(x[i]) + shift;
    float const inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    y[i] = __float2bfloat16(0.5f * v * (1.0f + tanhf(inner)));
}
