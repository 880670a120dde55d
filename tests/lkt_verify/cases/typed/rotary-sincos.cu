// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sine, cosine;
    sincosf((i / 32) * exp2f(-13.287712f / 32.0f * (i % 32)), &sine, &cosine);
    float const u = up(x[2 * i]), v = up(x[2 * i + 1]);
    y[2 * i] = down(fmaf(u, cosine, -(v * sine)));
    y[2 * i + 1] = down(fmaf(u, sine, v * cosine));
}
