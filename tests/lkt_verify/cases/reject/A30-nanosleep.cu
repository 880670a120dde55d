// SPDX-License-Identifier: BSL-1.0
__global__ void saxpy(float const* x, float* y, float alpha, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0) __nanosleep(1000);
    if (i < n) y[i] = alpha * x[i] + y[i];
}
