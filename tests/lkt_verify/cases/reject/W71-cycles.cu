// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    long long const begin = clock64();
    float const sum = i < n ? a[i] + b[i] : 0.0f;
    __syncthreads();
    if (i < n) c[i] = clock64() - begin > 2000 ? sum : sum + 1.0f;
}
