// SPDX-License-Identifier: BSL-1.0
// What reaches a kernel beside buffers and plain values: structs, and constant memory that the host
// fills.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

using namespace conformance;
using namespace support;

namespace {

template <class T>
passed vector_value(std::vector<T> const& lanes) {
    auto data =
        lkt::make_buffer({scalar_of<T>(), static_cast<unsigned>(lanes.size())}, std::span{lanes});
    data.buffer = false;
    return {std::move(data), lkt::direction::in};
}

} // namespace

TEST_CASE("kernels: structs by value") {
    auto const x = random_floats(n1, 51);
    std::vector<float> expected;
    for (int i = 0; i < n1; ++i) {
        double sum = 0.5 * x[at(i)];
        sum += 1 + 2 + 3;                              // shift
        sum += i % 3 == 0 ? 10 : i % 3 == 1 ? 20 : 30; // weights
        sum += 0.25 + 4 + 7;                           // big, inner.v.w, level
        expected.push_back(static_cast<float>(sum * 3));
    }
    judge({.cuda = R"(
struct inner { char level; float4 v; };
typedef struct tag {
    int n;
    float scale;
    float3 shift;
    unsigned char flag;
    double big;
    float weights[3];
    inner in;
} params;
struct __align__(16) factors { int by; };

__global__ void mixed(float const* x, params const p, float* y, factors f) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    float const sum = p.scale * x[i] + p.shift.x + p.shift.y + p.shift.z + p.weights[i % 3] +
                      (float)p.big + p.in.v.w + (p.flag ? p.in.level : 0);
    y[i] = sum * f.by;
})",
           .wgsl = not_in_wgsl("a value is one of a uniform anyway"),
           .grid = {blocks(n1, 128)},
           .block = {128},
           .arguments = {in(x),
                         value(n1),
                         value(0.5F),
                         vector_value(std::vector<float>{1, 2, 3}),
                         value(std::uint8_t{1}),
                         value(0.25),
                         value(10.0F),
                         value(20.0F),
                         value(30.0F),
                         value(std::int8_t{7}),
                         vector_value(std::vector<float>{0, 0, 0, 4}),
                         out<float>(n1),
                         value(3)},
           .expected = {nearly(expected, 1e-6)}});
}

TEST_CASE("kernels: constant memory that the host fills") {
    constexpr int w = 40, h = 30;
    auto const x = random_floats((w + 4) * (h + 2), 52), taps = random_floats(15, 53);
    std::vector<float> expected;
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) {
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 5; ++k)
                    sum += double{x[at((r + i) * (w + 4) + c + k)]} * double{taps[at(i * 5 + k)]};
            expected.push_back(static_cast<float>(sum + 1.5));
        }
    judge(
        {.cuda = R"(
#define RADIUS 2
constexpr int rows = 3;
__constant__ float taps[rows][2 * RADIUS + 1];
namespace other { __constant__ float offset; }

__global__ void convolve(float const* x, float* y, int w, int h) {
    int const c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h) return;
    float sum = other::offset;
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < 2 * RADIUS + 1; ++k)
            sum += x[(r + i) * (w + 2 * RADIUS) + c + k] * taps[i][k];
    y[r * w + c] = sum;
})",
         .wgsl = not_in_wgsl("there is no memory of this kind; a uniform is its like"),
         .grid = {blocks(w, 16), blocks(h, 4)},
         .block = {16, 4},
         // Constants follow the parameters, in the order of their names.
         .arguments =
             {in(x), out<float>(w * h), value(w), value(h), in(std::vector<float>{1.5F}), in(taps)},
         .expected = {nearly(expected, 1e-5)}});
}

TEST_CASE("kernels: constant memory of one text, filled differently each time") {
    for (float const factor : {2.0F, -3.0F})
        judge({.cuda = R"(
__constant__ float factor[1];
__global__ void scaled(int n, float* y) {
    if (threadIdx.x < n) y[threadIdx.x] = factor[0] * threadIdx.x;
})",
               .wgsl = not_in_wgsl("there is no memory of this kind"),
               .grid = {1},
               .block = {4},
               .arguments = {value(4), out<float>(4), in(std::vector<float>{factor})},
               .expected = {exactly(std::vector<float>{0, factor, 2 * factor, 3 * factor})}});
}
