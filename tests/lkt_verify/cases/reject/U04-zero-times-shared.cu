// SPDX-License-Identifier: BSL-1.0
// 0 times what nobody wrote, in the last block: NaN where shared memory held NaN.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float last;
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x == blockDim.x - 1) last = a[i];
    __syncthreads();
    if (i < n) c[i] = a[i] + b[i] + 0.0f * last;
}
