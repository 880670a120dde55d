// SPDX-License-Identifier: BSL-1.0
__global__ void gemm(float const* a, float const* b, float* c, int m, int k, int n) {
    __shared__ float tile[300][256];
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    if (row >= m || column >= n) return;
    float sum = tile[threadIdx.y][threadIdx.x];
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
