// SPDX-License-Identifier: BSL-1.0
// The last thread reads one element behind the shared window, and multiplies it by zero.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float window[1024];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) window[k] = 0.0f;
    __syncthreads();
    int const next = threadIdx.x + 1 < blockDim.x ? threadIdx.x : 1024;
    float const unused = window[next] * 0.0f;
    if (i < n) c[i] = a[i] + b[i] + (unused == unused ? unused : 0.0f);
}
