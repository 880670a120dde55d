// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* gain, O* y, int rows, int cols) {
    T const* from = x + blockIdx.x * cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float const v = up(from[i]);
        squares = fmaf(v, v, squares);
    }
    for (int d = 1; d < 32; d *= 2) squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float const scale = rsqrtf(squares * (1.0f / cols) + 1e-6f);
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = down(up(from[i]) * up(gain[i]) * scale);
}
