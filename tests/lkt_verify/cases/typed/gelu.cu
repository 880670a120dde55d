// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const v = up(x[i]);
    y[i] = down(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
}
