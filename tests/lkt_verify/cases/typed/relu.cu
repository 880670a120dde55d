// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = down(up(x[i]) > 0 ? up(x[i]) : A(0));
}
