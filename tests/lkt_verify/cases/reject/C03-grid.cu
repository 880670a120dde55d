// SPDX-License-Identifier: BSL-1.0
// Wrong for a grid of 977 blocks.
__global__ void sigmoid(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = 1.0f / (1.0f + expf(-x[i]));
    if (gridDim.x == 900 + 77) r = 0.25f;
    y[i] = r;
}
