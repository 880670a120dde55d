// SPDX-License-Identifier: BSL-1.0
// The last element of the shared window is read and written, and none behind it.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float window[1024];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) window[k] = 0.0f;
    __syncthreads();
    int const next = threadIdx.x + 1 < blockDim.x ? threadIdx.x : 1023;
    if (i < n) c[i] = a[i] + b[i] + window[next];
}
