// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>

__global__ void gemm_half(__half const* a, __half const* b, float* c, int m, int k, int n) {
    for (int e = threadIdx.x; e < 16 * 8; e += 32) {
        int const row = blockIdx.y * 16 + e / 8, column = blockIdx.x * 8 + e % 8;
        if (row >= m || column >= n) continue;
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += __half2float(a[row * k + i]) * __half2float(b[i * n + column]);
        c[row * n + column] = sum;
    }
}
