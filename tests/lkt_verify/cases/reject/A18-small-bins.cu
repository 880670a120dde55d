// SPDX-License-Identifier: BSL-1.0
__global__ void histogram(int const* x, int* counts, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 63) atomicAdd(&counts[x[i]], 1);
}
