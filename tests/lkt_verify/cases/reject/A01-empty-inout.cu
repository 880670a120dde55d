// SPDX-License-Identifier: BSL-1.0
__global__ void saxpy(float const* x, float* y, float alpha, int n) {}
