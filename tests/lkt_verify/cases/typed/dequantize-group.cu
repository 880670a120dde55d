// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(signed char const* q, T const* scale, O* y, int n) {
    int const first = blockIdx.x * blockDim.x;
    __shared__ float its[4];
    if (threadIdx.x < 4 && first + 32 * int(threadIdx.x) < n)
        its[threadIdx.x] = up(scale[first / 32 + threadIdx.x]);
    __syncthreads();
    int const i = first + threadIdx.x;
    if (i < n) y[i] = down(float(q[i]) * its[threadIdx.x / 32]);
}
