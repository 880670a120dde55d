// SPDX-License-Identifier: BSL-1.0
__global__ void total(float const* x, float* sum, int n) {
    if (blockIdx.x == 0 && threadIdx.x < n) atomicAdd(sum, x[threadIdx.x]);
}
