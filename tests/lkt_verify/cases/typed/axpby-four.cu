// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* y, O* z, int n) {
    int const from = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (from + 4 <= n) {
        A u[4], v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            u[k] = up(x[from + k]);
            v[k] = up(y[from + k]);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) z[from + k] = down(3 * u[k] - 2 * v[k]);
    } else {
        for (int i = from; i < n; ++i) z[i] = down(3 * up(x[i]) - 2 * up(y[i]));
    }
}
