// SPDX-License-Identifier: BSL-1.0
// c = gelu(a * b + bias), stored by rows; the bias has an element for each column. One thread an
// element of c.
__global__ void linear_gelu(
    float const* a, float const* b, float const* bias, float* c, int m, int k, int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float x = bias[column];
    for (int i = 0; i < k; ++i) x += a[row * k + i] * b[i * n + column];
    c[row * n + column] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}
