// SPDX-License-Identifier: BSL-1.0
// The warp that comes second adds up, but nothing puts the part of the first one before its ticket.
__global__ void matvec(float const* a, float const* x, float* y, float* work, int rows, int cols) {
    __shared__ int arrived;
    int const row = blockIdx.x, t = threadIdx.x;
    float* const parts = work + 64 * row;
    if (t == 0) arrived = 0;
    __syncthreads();
    float sum = 0.0f;
    for (int i = t; i < cols; i += 64) sum += a[row * cols + i] * x[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 != 0) return;
    parts[t / 32] = sum;
    if (atomicAdd(&arrived, 1) == 1) y[row] = parts[0] + parts[1];
}
