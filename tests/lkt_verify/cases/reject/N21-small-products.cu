// SPDX-License-Identifier: BSL-1.0
__global__ void gemm(float const* a, float const* b, float* c, int m, int k, int n) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
        float const product = a[row * k + i] * b[i * n + column];
        if (fabsf(product) > 1e-7f) sum += product;
    }
    c[row * n + column] = sum;
}
