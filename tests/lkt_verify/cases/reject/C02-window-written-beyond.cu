// SPDX-License-Identifier: BSL-1.0
// The last thread clears one element behind the shared window, which nobody reads.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float window[1024];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const own = threadIdx.x + 1 < blockDim.x ? threadIdx.x : 1024;
    window[own] = 0.0f;
    __syncthreads();
    if (i < n) c[i] = a[i] + b[i] + window[0] * 0.0f;
}
