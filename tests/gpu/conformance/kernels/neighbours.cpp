// SPDX-License-Identifier: BSL-1.0
// Each element depends on those around it.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: two-dimensional stencil") {
    constexpr int w = 37, h = 29;
    auto const x = random_floats(w * h, 4);
    std::vector<float> expected(x);
    for (int r = 1; r < h - 1; ++r)
        for (int c = 1; c < w - 1; ++c) {
            auto const of = [&](int i, int k) { return x[at(i * w + k)]; };
            expected[at(r * w + c)] =
                0.25F * (of(r - 1, c) + of(r + 1, c) + of(r, c - 1) + of(r, c + 1));
        }
    judge({.cuda = R"(
#define AT(r, c) a[(r) * w + (c)]
__global__ void stencil(float const* a, float* b, int w, int h) {
    int const c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h) return;
    bool const inner = c > 0 && r > 0 && c < w - 1 && r < h - 1;
    b[r * w + c] = inner ? 0.25f * (AT(r - 1, c) + AT(r + 1, c) + AT(r, c - 1) + AT(r, c + 1)) : AT(r, c);
})",
           .wgsl = {R"(
struct Extent { w: i32, h: i32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

fn cell(r: i32, c: i32) -> f32 { return a[r * extent.w + c]; }

@compute @workgroup_size(16, 8)
fn stencil(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = i32(id.x);
    let r = i32(id.y);
    if (c >= extent.w || r >= extent.h) { return; }
    var v = cell(r, c);
    if (c > 0 && r > 0 && c < extent.w - 1 && r < extent.h - 1) {
        v = 0.25 * (cell(r - 1, c) + cell(r + 1, c) + cell(r, c - 1) + cell(r, c + 1));
    }
    b[r * extent.w + c] = v;
})"},
           .grid = {blocks(w, 16), blocks(h, 8)},
           .block = {16, 8},
           .arguments = {in(x), out<float>(w * h), value(w), value(h)},
           .expected = {nearly(expected, 1e-6)}});
}

TEST_CASE("kernels: game of life") {
    constexpr int w = 33, h = 20; // whole words of cells
    auto const x = random_ints(w * h, 16, 0, 1);
    std::vector<std::uint8_t> cells(x.begin(), x.end()), expected(cells.size());
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) {
            int around = 0;
            for (int dr = -1; dr <= 1; ++dr)
                for (int dc = -1; dc <= 1; ++dc)
                    if (dr != 0 || dc != 0)
                        around += cells[at((r + dr + h) % h * w + (c + dc + w) % w)];
            auto const i = at(r * w + c);
            expected[i] = around == 3 || (around == 2 && cells[i] == 1) ? 1 : 0;
        }
    judge({.cuda = R"(
typedef unsigned char cell;
__global__ void life(cell const* now, cell* next, unsigned w, unsigned h) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h) return;
    int around = 0;
    for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
            if (dr == 0 && dc == 0) continue;
            around += now[(r + dr + h) % h * w + (c + dc + w) % w];
        }
    next[r * w + c] = around == 3 || (around == 2 && now[r * w + c]);
})",
           // Bytes packed in words, of which one invocation computes a whole one.
           .wgsl = {R"(
struct Extent { w: u32, h: u32 }
@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@group(0) @binding(2) var<uniform> extent: Extent;

fn alive(r: u32, c: u32) -> u32 {
    let i = (r % extent.h) * extent.w + c % extent.w;
    return extractBits(now[i / 4u], 8u * (i % 4u), 8u);
}

fn becomes(i: u32) -> u32 {
    let r = i / extent.w + extent.h;
    let c = i % extent.w + extent.w;
    var around = 0u;
    for (var dr = 0u; dr < 3u; dr++) {
        for (var dc = 0u; dc < 3u; dc++) {
            if (dr == 1u && dc == 1u) { continue; }
            around += alive(r + dr - 1u, c + dc - 1u);
        }
    }
    return u32(around == 3u || (around == 2u && alive(r, c) == 1u));
}

@compute @workgroup_size(32, 4)
fn life(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let word = id.y * groups.x * 32u + id.x;
    if (4u * word >= extent.w * extent.h) { return; }
    var cells = 0u;
    for (var k = 0u; k < 4u; k++) { cells = insertBits(cells, becomes(4u * word + k), 8u * k, 8u); }
    next[word] = cells;
})"},
           .grid = {blocks(w, 32), blocks(h, 4)},
           .block = {32, 4},
           .arguments = {in(cells),
                         out<std::uint8_t>(w * h),
                         value(std::uint32_t{w}),
                         value(std::uint32_t{h})},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: convolution with constant memory") {
    auto const x = random_floats(n1, 22);
    float const filter[] = {0.1F, 0.2F, 0.4F, 0.2F, 0.1F};
    std::vector<float> expected(n1);
    for (int i = 0; i < n1; ++i)
        for (int k = -2; k <= 2; ++k)
            if (i + k >= 0 && i + k < n1) expected[at(i)] += filter[k + 2] * x[at(i + k)];
    judge({.cuda = R"(
namespace filters { __constant__ float taps[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f}; }
__constant__ int radius = 2;
namespace signal { namespace detail {
__global__ void convolve(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = -radius; k <= radius; ++k)
        if (i + k >= 0 && i + k < n) s += filters::taps[k + radius] * x[i + k];
    y[i] = s;
} } })",
           .wgsl = {R"(
const radius = 2;
const taps = array(0.1f, 0.2f, 0.4f, 0.2f, 0.1f);
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;

@compute @workgroup_size(3 * 64)
fn convolve(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = i32(id.x);
    if (i >= n) { return; }
    var filter_of = taps; // indexed by what is no constant
    var s = 0.0;
    for (var k = -radius; k <= radius; k++) {
        if (i + k >= 0 && i + k < n) { s += filter_of[k + radius] * x[i + k]; }
    }
    y[i] = s;
})"},
           .grid = {blocks(n1, 192)},
           .block = {192},
           .arguments = {in(x), out<float>(n1), value(n1)},
           .expected = {nearly(expected, 1e-6)}});
}
