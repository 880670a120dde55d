// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const angle = (i / 32) * powf(10000.0f, -(i % 32) / 32.0f);
    float const u = up(x[2 * i]), v = up(x[2 * i + 1]);
    y[2 * i] = down(u * cosf(angle) - v * sinf(angle));
    y[2 * i + 1] = down(u * sinf(angle) + v * cosf(angle));
}
