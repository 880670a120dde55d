// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(signed char const* q, T const* scale, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = down(q[i] * up(scale[i / 32]));
}
