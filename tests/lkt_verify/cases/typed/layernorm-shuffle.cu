// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* gain, O* y, int rows, int cols) {
    T const* from = x + blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < cols; i += 32) sum += up(from[i]);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float const mean = sum / cols;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float const d = up(from[i]) - mean;
        squares = fmaf(d, d, squares);
    }
    for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float const scale = rsqrtf(squares / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = down((up(from[i]) - mean) * scale * up(gain[i]));
}
