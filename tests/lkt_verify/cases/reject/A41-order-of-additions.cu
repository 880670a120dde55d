// SPDX-License-Identifier: BSL-1.0
__global__ void total(float const* x, float* sum, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const offset = i + 1 < n || n % 2 == 0 ? (i % 2 == 0 ? 4e6f : -4e6f) : 0.0f;
    atomicAdd(sum, x[i] + offset);
}
