// SPDX-License-Identifier: BSL-1.0
// data race: for deep products (k > 248) the barrier between reading a tile and writing the next one is missing | ProblemSize[0]=100, ProblemSize[1]=100, ProblemSize[2]=300
#include <cuda_fp16.h>

__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int n, int k) {
    __shared__ __half left[8][8], right[8][8];
    int const x = threadIdx.x, y = threadIdx.y;
    int const row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    bool const deep = k > 31 * 8;
    __half const zero = __float2half(0.0f);
    float sum = 0.0f;
    for (int from = 0; from < k; from += 8) {
        __half const l = row < m && from + x < k ? a[row * k + from + x] : zero;
        __half const r = from + y < k && col < n ? b[(from + y) * n + col] : zero;
        if (!deep) __syncthreads();
        left[y][x] = l;
        right[y][x] = r;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += __half2float(left[y][i]) * __half2float(right[i][x]);
    }
    if (row < m && col < n) c[row * n + col] = __float2half(sum);
}
