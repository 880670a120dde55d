// SPDX-License-Identifier: BSL-1.0
__global__ void rowmean(float const* x, float* means, int rows, int cols) {
    if (threadIdx.x != 0) return;
    float sum = 0.0f;
    int counted = 0;
    for (int i = 0; i < cols; i += 4, ++counted) sum += x[blockIdx.x * cols + i];
    means[blockIdx.x] = sum / counted;
}
