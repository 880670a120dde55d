// SPDX-License-Identifier: BSL-1.0
__global__ void child(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) child<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
