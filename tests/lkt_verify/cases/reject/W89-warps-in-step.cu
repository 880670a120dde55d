// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int order[32];
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) order[threadIdx.x / 32] = atomicAdd(&next, 1);
    __syncthreads();
    if (i < n) c[i] = order[0] == 0 ? a[i] : a[i] + b[i];
}
