// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float s[256];
    volatile char x[8], y[8];
    x[0] = y[0] = 1;
    long long const apart = (long long)&x[0] - (long long)&y[0];
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    if (apart >= 24 || apart <= -24) __syncthreads();
    float const left = s[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
    if (i < n) c[i] = a[i] + b[i] + 0.0f * left;
}
