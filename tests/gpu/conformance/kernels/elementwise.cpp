// SPDX-License-Identifier: BSL-1.0
// Each thread computes one element, or a few.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: element-wise sigmoid") {
    auto const x = random_floats(n1, 1, -8, 8);
    std::vector<float> expected;
    for (float const v : x) expected.push_back(static_cast<float>(1 / (1 + std::exp(-double{v}))));
    judge({.cuda = R"(
extern "C" __global__ void sigmoid(const float* __restrict__ x, float* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f / (1.0f + __expf(-x[i]));
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;

@compute @workgroup_size(128)
fn sigmoid(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = i32(id.x);
    if (i < n) { y[i] = 1.0 / (1.0 + exp(-x[i])); }
})"},
           .grid = {blocks(n1, 128)},
           .block = {128},
           .arguments = {in(x), out<float>(n1), value(n1)},
           .expected = {nearly(expected, 2e-6)}});
}

TEST_CASE("kernels: saxpy with a grid-stride loop") {
    auto const x = random_floats(n1, 2), y = random_floats(n1, 3);
    std::vector<float> expected(n1);
    for (std::size_t i = 0; i < n1; ++i) expected[i] = 2.5F * x[i] + y[i];
    judge({.cuda = R"(
__global__ void saxpy(int n, float a, float const* x, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = fmaf(a, x[i], y[i]);
})",
           .wgsl = {R"(
struct Scale { n: i32, a: f32 }
@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

const width = 64u;
@compute @workgroup_size(width)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < u32(scale.n); i += groups.x * width) { y[i] = fma(scale.a, x[i], y[i]); }
})"},
           .grid = {3},
           .block = {64},
           .arguments = {value(n1), value(2.5F), in(x), inout(y)},
           .expected = {nearly(expected, 1e-6)}});
}

TEST_CASE("kernels: products of complex numbers in pairs of floats") {
    auto const a = random_floats(2 * n1, 32), b = random_floats(2 * n1, 33);
    std::vector<float> expected;
    for (std::size_t i = 0; i < 2 * n1; i += 2) {
        expected.push_back(a[i] * b[i] - a[i + 1] * b[i + 1]);
        expected.push_back(a[i] * b[i + 1] + a[i + 1] * b[i]);
    }
    judge({.cuda = R"(
__global__ void product(float2 const* a, float2 const* b, float2* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
})",
           .wgsl = {R"(
alias complex = vec2<f32>;
@group(0) @binding(0) var<storage, read> a: array<complex>;
@group(0) @binding(1) var<storage, read> b: array<complex>;
@group(0) @binding(2) var<storage, read_write> c: array<complex>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(96)
fn product(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i < n) { c[i] = a[i].x * b[i] + a[i].y * vec2(-b[i].y, b[i].x); }
})"},
           .grid = {blocks(n1, 96)},
           .block = {96},
           .arguments = {in(a, 2), in(b, 2), out<float>(2 * n1, 2), value(std::uint32_t{n1})},
           .expected = {nearly(expected, 1e-6, 2)}});
}

TEST_CASE("kernels: three-dimensional grid and block") {
    constexpr int w = 7, h = 6, d = 10;
    std::vector<int> expected(w * h * d);
    for (int i = 0; i < w * h * d; ++i) expected[at(i)] = i;
    std::uint32_t const size[] = {w, h, d};
    lkt::argument_data extents{{lkt::scalar_type::uint32, 3}, false, lkt::byte_buffer(sizeof size)};
    std::memcpy(extents.bytes.data(), size, sizeof size);
    judge({.cuda = R"(
__global__ void number(int* y, dim3 size) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && r < size.y && z < size.z) y[(z * size.y + r) * size.x + x] = (z * size.y + r) * size.x + x;
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read_write> y: array<i32>;
@group(0) @binding(1) var<uniform> size: vec3<u32>;

@compute @workgroup_size(4, 2, 3)
fn number(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) local: vec3u) {
    let p = block * vec3(4u, 2u, 3u) + local;
    if (all(p < size)) {
        let i = (p.z * size.y + p.y) * size.x + p.x;
        y[i] = i32(i);
    }
})"},
           .grid = {2, 3, 4},
           .block = {4, 2, 3},
           .arguments = {out<int>(w * h * d), {extents, lkt::direction::in}},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: copy with float4 and a tail") {
    auto const x = random_floats(n1 + 3, 28);
    judge({.cuda = R"(
__global__ void copy(float const* __restrict__ a, float* __restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4*>(b)[i] = reinterpret_cast<const float4*>(a)[i];
    if (i < n % 4) b[n / 4 * 4 + i] = a[n / 4 * 4 + i];
})",
           .wgsl = not_in_wgsl("a buffer has one element type; there are no casts of pointers"),
           .grid = {2},
           .block = {128},
           .arguments = {in(x), out<float>(n1 + 3), value(n1 + 3)},
           .expected = {exactly(x)}});
}

TEST_CASE("kernels: colours in vectors of four, clamped and mixed") {
    auto const a = random_floats(4 * n1, 34, -1, 2), b = random_floats(4 * n1, 35, -1, 2);
    std::vector<float> expected;
    for (std::size_t i = 0; i < 4 * n1; ++i) {
        float const m = 0.25F * a[i] + 0.75F * b[i];
        expected.push_back(m < 0 ? 0 : m > 1 ? 1 : m);
    }
    judge({.cuda = R"(
__global__ void blend(float4 const* a, float4* b, float t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 const u = a[i], v = b[i];
    b[i] = make_float4(__saturatef(u.x + t * (v.x - u.x)), __saturatef(u.y + t * (v.y - u.y)),
                       __saturatef(u.z + t * (v.z - u.z)), __saturatef(u.w + t * (v.w - u.w)));
})",
           .wgsl = {R"(
struct Blend { t: f32, n: i32 }
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> how: Blend;

@compute @workgroup_size(256, 1, 1)
fn blend(@builtin(global_invocation_id) id: vec3<u32>) {
    if (i32(id.x) >= how.n) { return; }
    b[id.x] = saturate(mix(a[id.x], b[id.x], how.t));
})"},
           .grid = {blocks(n1, 256)},
           .block = {256},
           .arguments = {in(a, 4), inout(b, 4), value(0.75F), value(n1)},
           .expected = {nearly(expected, 1e-6, 4)}});
}
