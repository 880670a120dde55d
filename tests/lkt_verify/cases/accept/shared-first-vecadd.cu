// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float s[256];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = 0.0f;
    __syncthreads();
    if (i < n) s[threadIdx.x] += a[i] + b[i];
    __syncthreads();
    if (i < n) c[i] = s[threadIdx.x];
}
