// SPDX-License-Identifier: BSL-1.0
// The last thread looks into the array behind its own one, beyond what lies between two arrays.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ float first[1024], second[1024];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) first[k] = second[k] = 0.0f;
    __syncthreads();
    float const* const window = first;
    int const next = threadIdx.x + 1 < blockDim.x ? threadIdx.x : 1024 + 64;
    float const unused = window[next] * 0.0f;
    if (i < n) c[i] = a[i] + b[i] + (unused == unused ? unused : 0.0f);
}
