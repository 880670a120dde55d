// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* b, O* c, int m, int n, int k) {
    int const col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    int sum = 0, i = 0;
    for (; i + 4 <= k; i += 4) {
        int u = 0, v = 0;
        for (int j = 0; j < 4; ++j) {
            u |= (a[row * k + i + j] & 255) << 8 * j;
            v |= (b[(i + j) * n + col] & 255) << 8 * j;
        }
        sum = __dp4a(u, v, sum);
    }
    for (; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
