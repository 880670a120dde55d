// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float const v = up(x[i]), cube = v * v * v;
        y[i] = down(0.5f * v + 0.5f * v * tanhf(0.7978845608f * v + 0.035677408f * cube));
    }
}
