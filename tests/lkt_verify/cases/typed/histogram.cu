// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, int* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(y + (int(x[i]) & 63), 1);
}
