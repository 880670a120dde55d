// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    if (threadIdx.x != 0 || blockIdx.x >= rows) return;
    T const* from = x + blockIdx.x * cols;
    O* to = y + blockIdx.x * cols;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < cols; ++i) most = fmaxf(most, up(from[i]));
    for (int i = 0; i < cols; ++i) sum += expf(up(from[i]) - most);
    for (int i = 0; i < cols; ++i) to[i] = down(expf(up(from[i]) - most) / sum);
}
