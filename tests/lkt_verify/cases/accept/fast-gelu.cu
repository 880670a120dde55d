// SPDX-License-Identifier: BSL-1.0
__global__ void gelu(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const v = x[i];
    float const u = 1.59576912f * (v + 0.044715f * v * v * v);
    y[i] = __fdividef(v, 1.0f + __expf(-u));
}
