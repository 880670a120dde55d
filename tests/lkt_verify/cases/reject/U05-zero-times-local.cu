// SPDX-License-Identifier: BSL-1.0
// 0 times a local variable that one thread alone leaves unwritten: NaN where it holds NaN.
struct terms {
    float first, second;
};
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    terms t;
    if (i < n) t.first = a[i];
    if (i < n - 1) t.second = b[i];
    if (i < n) c[i] = t.first + b[i] + 0.0f * t.second;
}
