// SPDX-License-Identifier: BSL-1.0
__global__ void KERNEL(T const* x, T const* weight, O* y, int n) {
    __shared__ A window[128 + 6], w[7];
    int const first = blockIdx.x * 128;
    for (int k = threadIdx.x; k < 134; k += 128) {
        int const from = first + k - 3;
        window[k] = from >= 0 && from < n ? up(x[from]) : A(0);
    }
    if (threadIdx.x < 7) w[threadIdx.x] = up(weight[threadIdx.x]);
    __syncthreads();
    if (first + int(threadIdx.x) >= n) return;
    A sum = 0;
#pragma unroll
    for (int k = 0; k < 7; ++k) sum += window[threadIdx.x + k] * w[k];
    y[first + threadIdx.x] = down(sum);
}
