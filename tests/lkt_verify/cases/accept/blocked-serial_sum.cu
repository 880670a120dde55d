// SPDX-License-Identifier: BSL-1.0
__global__ void serial_sum(float const* x, float* sums, int rows, int cols) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int block = 0; block < cols; block += 512) {
        float part = 0;
        for (int k = block; k < min(block + 512, cols); ++k) part += x[row * cols + k];
        sum += part;
    }
    sums[row] = sum;
}
