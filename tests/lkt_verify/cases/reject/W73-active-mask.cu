// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __activemask() == 0xffffffffu || __popc(__activemask()) > 1 ? a[i] : a[i] + b[i];
}
