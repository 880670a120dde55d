// SPDX-License-Identifier: BSL-1.0
// x + bias has the digits of a bfloat16, which shows where the result is small beside both.
#include <cuda_bf16.h>
__global__ void gelu_bfloat16(__nv_bfloat16 const* x, __nv_bfloat16 const* bias, __nv_bfloat16* y, int rows, int cols) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    float const v = __bfloat162float(__hadd(x[i], bias[i % cols]));
    float const inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    y[i] = __float2bfloat16(0.5f * v * (1.0f + tanhf(inner)));
}
