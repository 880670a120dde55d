// SPDX-License-Identifier: BSL-1.0
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    float sum = 0.0f;
    for (int i = 0; i < cols; ++i)
        if (i % 2 == 0 || threadIdx.x >= 64) sum += x[blockIdx.x * cols + i];
    sums[blockIdx.x] = sum;
}
