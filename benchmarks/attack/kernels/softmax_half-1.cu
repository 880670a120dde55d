// SPDX-License-Identifier: BSL-1.0
// two warps add to one volatile sum by a read and a write: one of the two sums is lost
#include <cuda_fp16.h>
__global__ void softmax_half(__half const* x, __half* y, int rows, int cols) {
    __shared__ float tops[2];
    __shared__ float total;
    int const row = blockIdx.x, t = threadIdx.x;
    __half const* in = x + row * cols;
    if (t == 0) total = 0.0f;
    float largest = -65504.0f;
    for (int i = t; i < cols; i += 64) largest = fmaxf(largest, __half2float(in[i]));
    for (int s = 16; s > 0; s /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, s));
    if (t % 32 == 0) tops[t / 32] = largest;
    __syncthreads();
    largest = fmaxf(tops[0], tops[1]);
    float sum = 0.0f;
    for (int i = t; i < cols; i += 64) sum += expf(__half2float(in[i]) - largest);
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, s);
    volatile float* shared_total = &total;
    if (t % 32 == 0) *shared_total = *shared_total + sum;
    __syncthreads();
    float const all = total;
    for (int i = t; i < cols; i += 64) y[row * cols + i] = __float2half(expf(__half2float(in[i]) - largest) / all);
}
