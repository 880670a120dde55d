// SPDX-License-Identifier: BSL-1.0
__global__ void conv2d(float const* x, float const* w, float* y, int height, int width) {
    __shared__ float image[20][20];
    __shared__ float weights[25];
    int const tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    if (t < 25) weights[t] = w[t];
    for (int i = t; i < 400; i += 256) {
        int const r = blockIdx.y * 16 + i / 20 - 2;
        int const c = blockIdx.x * 16 + i % 20 - 2;
        image[i / 20][i % 20] = r >= 0 && r < height && c >= 0 && c < width ? x[r * width + c] : 0.0f;
    }
    __syncthreads();
    int const column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    if (row >= height || column >= width) return;
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 5; ++dy)
#pragma unroll
        for (int dx = 0; dx < 5; ++dx) sum += image[ty + dy][tx + dx] * weights[dy * 5 + dx];
    y[row * width + column] = sum;
}
