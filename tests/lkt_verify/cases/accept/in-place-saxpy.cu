// SPDX-License-Identifier: BSL-1.0
__global__ void saxpy(float const* x, float* y, float alpha, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const half = (n + 1) / 2;
    if (i >= half) return;
    y[i] = fmaf(alpha, x[i], y[i]);
    if (half + i < n) y[half + i] = fmaf(alpha, x[half + i], y[half + i]);
}
