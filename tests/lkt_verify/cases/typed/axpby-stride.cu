// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* y, O* z, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        z[i] = down(3 * up(x[i]) - 2 * up(y[i]));
}
