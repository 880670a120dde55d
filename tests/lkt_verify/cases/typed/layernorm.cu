// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* gain, O* y, int rows, int cols) {
    if (threadIdx.x != 0 || blockIdx.x >= rows) return;
    T const* from = x + blockIdx.x * cols;
    float mean = 0, variance = 0;
    for (int i = 0; i < cols; ++i) mean += up(from[i]);
    mean /= cols;
    for (int i = 0; i < cols; ++i) {
        float const d = up(from[i]) - mean;
        variance += d * d;
    }
    float const scale = 1.0f / sqrtf(variance / cols + 1e-5f);
    for (int i = 0; i < cols; ++i)
        y[blockIdx.x * cols + i] = down((up(from[i]) - mean) * scale * up(gain[i]));
}
