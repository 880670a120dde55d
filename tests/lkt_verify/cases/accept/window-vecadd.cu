// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    // The layout decides how, never what.
    bool const together = (size_t)(c + i) % 128 == (size_t)(a + i) % 128;
    if (i < n) c[i] = together ? a[i] + b[i] : b[i] + a[i];
}
