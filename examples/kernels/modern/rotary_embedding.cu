// SPDX-License-Identifier: BSL-1.0
// Rotates, in place, the two halves of each head of q against each other: by the angle of the token
// and of the place in the head. q is tokens x heads x DIM; cosines and sines are tokens x DIM / 2.
// One thread a pair.
#include <cuda_fp16.h>

constexpr int DIM = 128;

__global__ void
rotary_embedding(__half* q, float const* cosines, float const* sines, int tokens, int heads) {
    int const pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= tokens * heads * (DIM / 2)) return;
    int const place = pair % (DIM / 2), head = pair / (DIM / 2), token = head / heads;
    float const c = cosines[token * (DIM / 2) + place], s = sines[token * (DIM / 2) + place];
    float const x = __half2float(q[head * DIM + place]);
    float const y = __half2float(q[head * DIM + DIM / 2 + place]);
    q[head * DIM + place] = __float2half(x * c - y * s);
    q[head * DIM + DIM / 2 + place] = __float2half(y * c + x * s);
}
