// SPDX-License-Identifier: BSL-1.0
__device__ __noinline__ float deep(float const* a, float const* b, int i, int depth) {
    float pad[16];
    for (int k = 0; k < 16; ++k) pad[k] = depth + k;
    if (depth == 0) return a[i] + b[i];
    float const rest = deep(a, b, i, depth - 1);
    return pad[depth % 16] > 1e9f ? pad[0] : rest;
}
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = deep(a, b, i, 24);
}
