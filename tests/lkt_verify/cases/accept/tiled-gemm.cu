// SPDX-License-Identifier: BSL-1.0
__global__ void gemm(float const* a, float const* b, float* c, int m, int k, int n) {
    __shared__ float as[16][16], bs[16][16];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int i = 0; i < k; i += 16) {
        as[ty][tx] = row < m && i + tx < k ? a[row * k + i + tx] : 0.0f;
        bs[ty][tx] = i + ty < k && column < n ? b[(i + ty) * n + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
