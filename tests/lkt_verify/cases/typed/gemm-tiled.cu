// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* b, O* c, int m, int n, int k) {
    __shared__ T left[16][16], right[16][17];
    int const x = threadIdx.x, y = threadIdx.y;
    int const col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    A sum = 0;
    for (int from = 0; from < k; from += 16) {
        left[y][x] = row < m && from + x < k ? a[row * k + from + x] : T(0);
        right[y][x] = col < n && from + y < k ? b[(from + y) * n + col] : T(0);
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += up(left[y][i]) * up(right[i][x]);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = down(sum);
}
