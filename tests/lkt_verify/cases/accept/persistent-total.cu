// SPDX-License-Identifier: BSL-1.0
__global__ void total(float const* x, float* sum, int n) {
    if (blockIdx.x >= 8) return;
    int const step = (gridDim.x < 8 ? gridDim.x : 8) * blockDim.x;
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) mine += x[i];
    atomicAdd(sum, mine);
}
