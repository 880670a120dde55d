// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    bool const whole = __all_sync(0xffffffffu, i < n);
    if (whole || i < n) c[i] = a[i] + b[i];
}
