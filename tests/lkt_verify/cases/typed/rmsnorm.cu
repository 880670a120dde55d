// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* gain, O* y, int rows, int cols) {
    if (threadIdx.x != 0 || blockIdx.x >= rows) return;
    T const* from = x + blockIdx.x * cols;
    float squares = 0;
    for (int i = 0; i < cols; ++i) squares += up(from[i]) * up(from[i]);
    float const scale = 1.0f / sqrtf(squares / cols + 1e-6f);
    for (int i = 0; i < cols; ++i) y[blockIdx.x * cols + i] = down(up(from[i]) * scale * up(gain[i]));
}
