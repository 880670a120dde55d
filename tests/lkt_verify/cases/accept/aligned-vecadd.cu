// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    bool const wide = ((unsigned long long)a | (unsigned long long)b | (unsigned long long)c) % 16 == 0;
    if (wide && i < n / 4) {
        float4 const x = reinterpret_cast<float4 const*>(a)[i], y = reinterpret_cast<float4 const*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
    int const rest = wide ? n / 4 * 4 + i : i;
    if (rest < n && (!wide || i < 4)) c[rest] = a[rest] + b[rest];
}
