// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < 0) return;
    A v = up(x[i]);
    if (!(v > 0)) v = 0;
    y[i] = down(v);
}
