// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, O* y, int rows, int cols) {
    T const* from = x + blockIdx.x * cols;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float const v = up(from[i]);
        if (v > most) {
            sum *= __expf(most - v);
            most = v;
        }
        sum += __expf(v - most);
    }
    for (int d = 16; d > 0; d /= 2) {
        float const other = __shfl_xor_sync(0xffffffffu, most, d);
        float const its = __shfl_xor_sync(0xffffffffu, sum, d);
        float const both = fmaxf(most, other);
        sum = (most == -INFINITY ? 0 : sum * __expf(most - both)) +
              (other == -INFINITY ? 0 : its * __expf(other - both));
        most = both;
    }
    float const scale = 1 / sum;
    for (int i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = down(__expf(up(from[i]) - most) * scale);
}
