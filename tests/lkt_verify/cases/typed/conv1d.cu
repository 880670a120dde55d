// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* weight, O* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    A sum = 0;
    for (int k = -3; k <= 3; ++k)
        if (i + k >= 0 && i + k < n) sum += up(x[i + k]) * up(weight[k + 3]);
    y[i] = down(sum);
}
