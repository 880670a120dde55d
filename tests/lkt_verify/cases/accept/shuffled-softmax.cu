// SPDX-License-Identifier: BSL-1.0
__device__ float fold(float v, bool largest, float* part) {
    for (int d = 16; d > 0; d /= 2) {
        float const other = __shfl_xor_sync(0xffffffffu, v, d);
        v = largest ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    return largest ? fmaxf(part[0], part[1]) : part[0] + part[1];
}
__global__ void softmax(float const* x, float* y, int rows, int cols) {
    __shared__ float part[2];
    float const* const mine = x + blockIdx.x * cols;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += 64) largest = fmaxf(largest, mine[i]);
    largest = fold(largest, true, part);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 64) sum += expf(mine[i] - largest);
    sum = fold(sum, false, part);
    for (int i = threadIdx.x; i < cols; i += 64) y[blockIdx.x * cols + i] = expf(mine[i] - largest) / sum;
}
