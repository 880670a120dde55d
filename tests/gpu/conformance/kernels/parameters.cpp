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
           .wgsl = not_in_wgsl("it has no f64 and no bytes; the next case is for both"),
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

TEST_CASE("kernels: values with gaps between them") {
    auto const x = random_floats(n1, 54);
    std::vector<float> expected;
    for (int i = 0; i < n1; ++i)
        expected.push_back(0.5F * x[at(i)] + static_cast<float>(1 + i % 3) + 7 + (3 << 4));
    judge({.cuda = R"(
struct params {
    int n;
    float scale;
    float3 shift;
    float level;
    uint2 bits;
};
__global__ void mixed(float const* x, params p, float* y) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    float const of = i % 3 == 0 ? p.shift.x : i % 3 == 1 ? p.shift.y : p.shift.z;
    y[i] = p.scale * x[i] + of + p.level + (float)(p.bits.x << p.bits.y);
})",
           .wgsl = {R"(
struct Params {
    n: i32,
    scale: f32,
    shift: vec3<f32>, // 16 bytes from the beginning, and the next member right behind it
    level: f32,
    bits: vec2<u32>,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<uniform> p: Params;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128)
fn mixed(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i32(i) >= p.n) { return; }
    y[i] = p.scale * x[i] + p.shift[i % 3u] + p.level + f32(p.bits.x << p.bits.y);
})"},
           .grid = {blocks(n1, 128)},
           .block = {128},
           .arguments = {in(x),
                         value(n1),
                         value(0.5F),
                         vector_value(std::vector<float>{1, 2, 3}),
                         value(7.0F),
                         vector_value(std::vector<std::uint32_t>{3, 4}),
                         out<float>(n1)},
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
         // Its like is a buffer that is only read.
         .wgsl = {R"(
const radius = 2;
struct Extent { w: i32, h: i32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;
@group(0) @binding(3) var<storage, read> offset: array<f32, 1>;
@group(0) @binding(4) var<storage, read> taps: array<f32>;

@compute @workgroup_size(16, 4)
fn convolve(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = i32(id.x);
    let r = i32(id.y);
    if (c >= extent.w || r >= extent.h) { return; }
    var sum = offset[0];
    for (var i = 0; i < 3; i++) {
        for (var k = 0; k < 2 * radius + 1; k++) {
            sum += x[(r + i) * (extent.w + 2 * radius) + c + k] * taps[i * (2 * radius + 1) + k];
        }
    }
    y[r * extent.w + c] = sum;
})"},
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
