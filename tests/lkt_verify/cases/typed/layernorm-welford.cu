// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* gain, O* y, int rows, int cols) {
    __shared__ float mean, scale;
    T const* from = x + blockIdx.x * cols;
    if (threadIdx.x == 0) {
        float m = 0, squares = 0;
        for (int i = 0; i < cols; ++i) {
            float const v = up(from[i]), d = v - m;
            m += d / (i + 1);
            squares += d * (v - m);
        }
        mean = m;
        scale = rsqrtf(squares / cols + 1e-5f);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = down((up(from[i]) - mean) * scale * up(gain[i]));
}
