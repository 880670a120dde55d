// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool const reverse = i + 1 < n && c[i + 1] == a[i + 1] + b[i + 1];
    c[i] = reverse || i + 1 == n ? a[i] + b[i] : a[i];
}
