// SPDX-License-Identifier: BSL-1.0
__global__ void accurate_sum(float const* x, float* sums, int rows, int cols) {
    if (threadIdx.x != 0) return;
    float sum = 0.0f, lost = 0.0f;
    for (int i = 0; i < cols; ++i) {
        float const v = x[blockIdx.x * cols + i];
        float const now = __fadd_rn(sum, v);
        float const z = __fsub_rn(now, sum);
        lost = __fadd_rn(lost, __fadd_rn(__fsub_rn(sum, __fsub_rn(now, z)), __fsub_rn(v, z)));
        sum = now;
    }
    sums[blockIdx.x] = sum + lost;
}
