// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>

__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int n, int k) {
    __shared__ __half left[8][8], right[8][8];
    int const x = threadIdx.x, y = threadIdx.y;
    int const row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    float sum = 0.0f;
    for (int from = 0; from < k; from += 8) {
        left[y][x] = row < m && from + x < k ? a[row * k + from + x] : __float2half(0.0f);
        right[y][x] = from + y < k && col < n ? b[(from + y) * n + col] : __float2half(0.0f);
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += __half2float(left[y][i]) * __half2float(right[i][x]);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = __float2half_rz(sum);
}
