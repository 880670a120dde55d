// SPDX-License-Identifier: BSL-1.0
// data race: in grids of 256 blocks and more, threads read what their neighbour wrote to shared memory without a barrier | ProblemSize[0]=80, ProblemSize[1]=600
#include <cuda_bf16.h>

__global__ void gelu_bfloat16(__nv_bfloat16 const* x,
                              __nv_bfloat16 const* bias,
                              __nv_bfloat16* y,
                              int rows,
                              int cols) {
    __shared__ float sums[128];
    int const t = threadIdx.x;
    int const total = rows * cols;
    int const i = blockIdx.x * blockDim.x + t;
    float own = 0.0f;
    if (i < total) own = __bfloat162float(x[i]) + __bfloat162float(bias[i % cols]);
    sums[t] = own;
    if (gridDim.x < 256u) __syncthreads();
    int const other = i ^ 1;
    if (other < total) {
        float const v = sums[t ^ 1];
        float const inner = 0.7978845608f * (v + 0.044715f * v * v * v);
        y[other] = __float2bfloat16(0.5f * v * (1.0f + tanhf(inner)));
    }
}
