// SPDX-License-Identifier: BSL-1.0
// Negative numbers become bytes without a sign, which wrap on x86 and are 0 on a device.
__global__ void quantise_int8(float const* x, signed char* q, float* scale, int rows, int cols) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = 0.0f;
    for (int i = 0; i < cols; ++i) largest = fmaxf(largest, fabsf(x[row * cols + i]));
    scale[row] = largest / 127.0f;
    for (int i = 0; i < cols; ++i) {
        float const v = largest > 0.0f ? x[row * cols + i] * 127.0f / largest : 0.0f;
        q[row * cols + i] = static_cast<signed char>(static_cast<unsigned char>(rintf(v)));
    }
}
