// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const v = up(x[i]);
    float const twice = 1.5957691216f * v * fmaf(0.044715f * v, v, 1.0f);
    y[i] = down(v / (1.0f + expf(-twice)));
}
