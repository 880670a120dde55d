// SPDX-License-Identifier: BSL-1.0
// A convolution of 3 x 3 with a border of zeros, in half precision with sums in float. x is batch x
// height x width x channels, w is filters x 3 x 3 x channels, y is batch x height x width x filters.
// One thread an element of y.
#include <cuda_fp16.h>

__global__ void conv2d_half(__half const* x,
                            __half const* w,
                            __half* y,
                            int batch,
                            int height,
                            int width,
                            int channels,
                            int filters) {
    int const element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= batch * height * width * filters) return;
    int const filter = element % filters, pixel = element / filters;
    int const column = pixel % width, row = pixel / width % height;
    int const image = pixel / width / height;
    float sum = 0.0f;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) {
            int const from_row = row + dy - 1, from_column = column + dx - 1;
            if (from_row < 0 || from_row >= height || from_column < 0 || from_column >= width)
                continue;
            int const from = ((image * height + from_row) * width + from_column) * channels;
            int const weights = ((filter * 3 + dy) * 3 + dx) * channels;
            for (int i = 0; i < channels; ++i)
                sum += __half2float(x[from + i]) * __half2float(w[weights + i]);
        }
    y[element] = __float2half(sum);
}
