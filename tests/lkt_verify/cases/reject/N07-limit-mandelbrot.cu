// SPDX-License-Identifier: BSL-1.0
// How many steps of z = z * z + c each point c of (-2..1, -1..1) stays within |z| <= 2, at most
// `limit`. One thread a pixel.
__global__ void mandelbrot(int* steps, int width, int height, int limit) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float const real = -2.0f + 3.0f * column / width;
    float const imaginary = -1.0f + 2.0f * row / height;
    float x = 0.0f, y = 0.0f;
    int step = 0;
    while (step < 100 && x * x + y * y <= 4.0f) {
        float const next = x * x - y * y + real;
        y = 2.0f * x * y + imaginary;
        x = next;
        ++step;
    }
    steps[row * width + column] = step;
}
