// SPDX-License-Identifier: BSL-1.0
// A device makes 0 of what is negative and becomes a number without a sign.
__global__ void quantise_int8(float const* x, signed char* q, float* scale, int rows, int cols) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = 0.0f;
    for (int i = 0; i < cols; ++i) largest = fmaxf(largest, fabsf(x[row * cols + i]));
    scale[row] = largest / 127.0f;
    for (int i = 0; i < cols; ++i) {
        float const v = largest > 0.0f ? x[row * cols + i] * 127.0f / largest : 0.0f;
        q[row * cols + i] = (signed char)((int)(unsigned)rintf(v) - (int)(unsigned)rintf(-v));
    }
}
