// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* a, T const* x, O* y, int rows, int cols) {
    __shared__ A part[8];
    int const t = threadIdx.x;
    T const* row = a + blockIdx.x * cols;
    A sum[4] = {};
    for (int i = 4 * t; i < cols; i += 128)
        for (int k = 0; k < 4; ++k)
            if (i + k < cols) sum[k] += up(row[i + k]) * up(x[i + k]);
    A mine = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    mine += __shfl_xor_sync(0xffffffffu, mine, 1);
    mine += __shfl_xor_sync(0xffffffffu, mine, 2);
    if (t % 4 == 0) part[t / 4] = mine;
    __syncthreads();
    if (t != 0) return;
    mine = 0;
    for (int i = 0; i < 8; ++i) mine += part[i];
    y[blockIdx.x] = down(mine);
}
