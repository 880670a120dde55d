// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* b, O* c, int m, int n, int k) {
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    A first = 0, second = 0;
    int const half = k / 2;
    for (int i = 0; i < half; ++i) {
        first += up(a[row * k + i]) * up(b[i * n + col]);
        second += up(a[row * k + half + i]) * up(b[(half + i) * n + col]);
    }
    if (k % 2 == 1) second += up(a[row * k + k - 1]) * up(b[(k - 1) * n + col]);
    c[row * n + col] = down(first + second);
}
