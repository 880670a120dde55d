// SPDX-License-Identifier: BSL-1.0
// Wrong where an element lies in a range that drawn values hardly ever meet.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool const here = a[i] > 0.75f && a[i] < 0.7500002f;
    c[i] = here ? b[i] : a[i] + b[i];
}
