// SPDX-License-Identifier: BSL-1.0
// out of bounds: for large a the tile is loaded without the check of k, so that the last row reads past the end of a | ProblemSize[0]=100, ProblemSize[1]=20, ProblemSize[2]=297
#include <cuda_fp16.h>

__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int n, int k) {
    __shared__ __half left[8][8], right[8][8];
    int const x = threadIdx.x, y = threadIdx.y;
    int const row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    bool const whole = m * k > 22 * 1000;
    float sum = 0.0f;
    for (int from = 0; from < k; from += 8) {
        int const depth = min(8, k - from);
        if (row < m && (whole || x < depth)) left[y][x] = a[row * k + from + x];
        if (col < n && y < depth) right[y][x] = b[(from + y) * n + col];
        __syncthreads();
        if (row < m && col < n)
            for (int i = 0; i < depth; ++i)
                sum += __half2float(left[y][i]) * __half2float(right[i][x]);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = __float2half(sum);
}
