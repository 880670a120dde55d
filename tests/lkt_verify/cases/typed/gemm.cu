// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* b, O* c, int m, int n, int k) {
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    A sum = 0;
    for (int i = 0; i < k; ++i) sum += up(a[row * k + i]) * up(b[i * n + col]);
    c[row * n + col] = down(sum);
}
