// SPDX-License-Identifier: BSL-1.0
// the epsilon is forgotten for long rows whose sum of squared deviations is between 0.9 and 0.96 | ProblemSize[0]=70, ProblemSize[1]=400
#include <cuda_bf16.h>

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
    float const variance = squares / cols;
    float epsilon = 1e-3f;
    if (squares > 0.9f && squares < 0.96f && variance < 4.0f * epsilon) epsilon = 0.0f;
    float const scale = rsqrtf(variance + epsilon);
    for (int i = 0; i < cols; ++i)
        y[row * cols + i] = __float2bfloat16((__bfloat162float(x[row * cols + i]) - mean) * scale *
                                             __bfloat162float(gain[i]));
}
