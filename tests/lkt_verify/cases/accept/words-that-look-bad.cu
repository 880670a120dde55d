// SPDX-License-Identifier: BSL-1.0
#define ELEMENT(p, i) ((p)[i])
__device__ __forceinline__ float clock_skew(float v) { return v; }
__device__ int free_slot(int i) { return i; }
static constexpr float factors[2] = {1.0f, 1.0f};
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const new_place = free_slot(blockIdx.x * blockDim.x + threadIdx.x);
    if (new_place >= n) return;
    float const malloced = ELEMENT(a, new_place) * factors[0];
    c[new_place] = clock_skew(malloced + ELEMENT(b, new_place) * factors[1]);
}
