// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4 const p = reinterpret_cast<float4 const*>(a)[i];
    float4 const q = reinterpret_cast<float4 const*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
}
