// SPDX-License-Identifier: BSL-1.0
// c = a * b, exact: products of 8 bits, sums of 32.
__global__ void gemm_int8(signed char const* a, signed char const* b, int* c, int m, int n, int k) {
    __shared__ signed char left[8][32], right[32][8];
    int const x = threadIdx.x, y = threadIdx.y;
    int const row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    int sum = 0;
    for (int from = 0; from < k; from += 32) {
        for (int i = x; i < 32; i += 8) {
            left[y][i] = row < m && from + i < k ? a[row * k + from + i] : 0;
            right[i][y] =
                from + i < k && blockIdx.x * 8 + y < n ? b[(from + i) * n + blockIdx.x * 8 + y] : 0;
        }
        __syncthreads();
        for (int i = 0; i < 32; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
