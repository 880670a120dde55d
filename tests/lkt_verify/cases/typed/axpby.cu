// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* y, O* z, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = down(3 * up(x[i]) - 2 * up(y[i]));
}
