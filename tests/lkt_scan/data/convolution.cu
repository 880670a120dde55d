// SPDX-License-Identifier: BSL-1.0
// Each output of a convolution of NCHW images with KCRS filters, one thread an element.
__global__ void convolution(float const* images,
                            float const* filters,
                            float* output,
                            int n,
                            int c,
                            int h,
                            int w,
                            int k,
                            int r,
                            int s,
                            int stride,
                            int padding) {
    int const p = (h + 2 * padding - r) / stride + 1, q = (w + 2 * padding - s) / stride + 1;
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n * k * p * q) return;
    int const j = at % q, i = at / q % p, filter = at / (p * q) % k, image = at / (k * p * q);
    float sum = 0;
    for (int channel = 0; channel < c; ++channel)
        for (int a = 0; a < r; ++a)
            for (int b = 0; b < s; ++b) {
                int const y = i * stride - padding + a, x = j * stride - padding + b;
                if (y >= 0 && y < h && x >= 0 && x < w)
                    sum += images[((image * c + channel) * h + y) * w + x] *
                           filters[((filter * c + channel) * r + a) * s + b];
            }
    output[at] = sum;
}
