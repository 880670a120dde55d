// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {}
