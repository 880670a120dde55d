// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float kept[256];
    kept[threadIdx.x % 256] = 0.0f;
    size_t const where = __cvta_generic_to_shared(&kept[0]);
    if (i < n) c[i] = where < 1024 ? a[i] + b[i] : a[i];
}
