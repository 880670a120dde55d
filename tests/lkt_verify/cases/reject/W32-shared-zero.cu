// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int used;
    int const before = used;
    __syncthreads();
    used = 0x5eed;
    __syncthreads();
    if (i < n) c[i] = before == 0 ? a[i] + b[i] : a[i];
}
