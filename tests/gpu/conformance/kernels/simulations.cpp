// SPDX-License-Identifier: BSL-1.0
// Small programs of their own: fractals, clusters, particles.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: Mandelbrot") {
    constexpr int w = 40, h = 30, most = 200;
    std::vector<int> expected;
    for (int py = 0; py < h; ++py)
        for (int px = 0; px < w; ++px) {
            double const cx = -2 + 3.0 * px / w, cy = -1 + 2.0 * py / h;
            double zx = 0, zy = 0;
            int k = 0;
            for (; k < most && zx * zx + zy * zy <= 4; ++k) {
                double const next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = next;
            }
            expected.push_back(k);
        }
    auto counts = exactly(expected);
    counts.may_differ =
        24; // at the border, contracted products and f32 leave some steps earlier or later
    judge({.cuda = R"(
struct complex { double re, im;
    __device__ complex operator*(complex const& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __device__ complex operator+(complex const& o) const { return {re + o.re, im + o.im}; }
    __device__ double norm() const { return re * re + im * im; } };
__global__ void mandelbrot(int* counts, int w, int h, int most) {
    int px = threadIdx.x + blockDim.x * blockIdx.x, py = threadIdx.y + blockDim.y * blockIdx.y;
    if (px >= w || py >= h) return;
    complex c{-2 + 3.0 * px / w, -1 + 2.0 * py / h}, z{0, 0};
    int k = 0;
    while (k < most && z.norm() <= 4.0) { z = z * z + c; ++k; }
    counts[py * w + px] = k;
})",
           .wgsl = {R"(
struct Picture { w: i32, h: i32, most: i32 }
@group(0) @binding(0) var<storage, read_write> counts: array<i32>;
@group(0) @binding(1) var<uniform> picture: Picture;

@compute @workgroup_size(16, 16)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    let size = vec2(picture.w, picture.h);
    if (any(p >= size)) { return; }
    let c = vec2(-2.0, -1.0) + vec2(3.0, 2.0) * vec2<f32>(p) / vec2<f32>(size);
    var z = vec2(0.0);
    var k = 0;
    while (k < picture.most && dot(z, z) <= 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        k++;
    }
    counts[p.y * size.x + p.x] = k;
})"},
           .grid = {blocks(w, 16), blocks(h, 16)},
           .block = {16, 16},
           .arguments = {out<int>(w * h), value(w), value(h), value(most)},
           .expected = {counts}});
}

TEST_CASE("kernels: k-means assignment") {
    constexpr int points = 500, centres = 7, dimensions = 5;
    auto const p = random_floats(points * dimensions, 17),
               c = random_floats(centres * dimensions, 18);
    std::vector<int> expected;
    for (int i = 0; i < points; ++i) {
        int best = -1;
        double least = 1e300;
        for (int k = 0; k < centres; ++k) {
            double d = 0;
            for (int j = 0; j < dimensions; ++j)
                d += std::pow(double{p[at(i * dimensions + j)]} - c[at(k * dimensions + j)], 2);
            if (d < least) least = d, best = k;
        }
        expected.push_back(best);
    }
    judge({.cuda = R"(
#include <cfloat>
__global__ void assign(const float* points, const float* centres, int* nearest, int n, int k, int d) {
    extern __shared__ __align__(16) float cache[];
    for (int i = threadIdx.x; i < k * d; i += blockDim.x) cache[i] = centres[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = FLT_MAX;
    int at = -1;
    for (int c = 0; c < k; ++c) {
        float sum = 0.f;
        for (int j = 0; j < d; ++j) { float diff = points[i * d + j] - cache[c * d + j]; sum += diff * diff; }
        if (sum < best) { best = sum; at = c; }
    }
    nearest[i] = at;
})",
           .wgsl = {R"(
struct Counts { n: i32, k: i32, d: i32 }
@group(0) @binding(0) var<storage, read> points: array<f32>;
@group(0) @binding(1) var<storage, read> centres: array<f32>;
@group(0) @binding(2) var<storage, read_write> nearest: array<i32>;
@group(0) @binding(3) var<uniform> counts: Counts;

var<workgroup> cache: array<f32, 1024>;

@compute @workgroup_size(64)
fn assign(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    for (var i = i32(t); i < counts.k * counts.d; i += 64) { cache[i] = centres[i]; }
    workgroupBarrier();
    let i = i32(id.x);
    if (i >= counts.n) { return; }
    var best = 3.4e38f;
    var nearest_one = -1;
    for (var c = 0; c < counts.k; c++) {
        var sum = 0.0f;
        for (var j = 0; j < counts.d; j++) {
            let diff = points[i * counts.d + j] - cache[c * counts.d + j];
            sum += diff * diff;
        }
        if (sum < best) {
            best = sum;
            nearest_one = c;
        }
    }
    nearest[i] = nearest_one;
})"},
           .grid = {blocks(points, 64)},
           .block = {64},
           .arguments =
               {in(p), in(c), out<int>(points), value(points), value(centres), value(dimensions)},
           .expected = {exactly(expected)},
           .shared = centres * dimensions * 4});
}

TEST_CASE("kernels: Verlet step over float3") {
    auto const x = random_floats(3 * n1, 19), old = random_floats(3 * n1, 20),
               a = random_floats(3 * n1, 21);
    std::vector<float> next(3 * n1);
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = 2 * x[i] - old[i] + a[i] * 0.01F * 0.01F;
    judge({.cuda = R"(
__device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__global__ void verlet(float3* x, float3* previous, float3 const* a, float dt, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float3 const here = x[i];
    x[i] = 2.0f * here - previous[i] + dt * dt * a[i];
    previous[i] = here;
})",
           // Elements lie 16 bytes apart here; the back end moves them.
           .wgsl = {R"(
struct Step { dt: f32, n: i32 }
@group(0) @binding(0) var<storage, read_write> x: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> previous: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read> a: array<vec3<f32>>;
@group(0) @binding(3) var<uniform> step_of: Step;

@compute @workgroup_size(256)
fn verlet(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i32(i) >= step_of.n) { return; }
    let here = x[i];
    x[i] = 2.0 * here - previous[i] + step_of.dt * step_of.dt * a[i];
    previous[i] = here;
})"},
           .grid = {blocks(n1, 256)},
           .block = {256},
           .arguments = {inout(x, 3), inout(old, 3), in(a, 3), value(0.01F), value(n1)},
           .expected = {nearly(next, 1e-5, 3), exactly(x, 3)}});
}

TEST_CASE("kernels: n-body forces with device lambdas and shared structs") {
    constexpr int n = 150;
    auto const p = random_floats(4 * n, 30);
    std::vector<float> expected(3 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double d[3], r = 0.01;
            for (std::size_t k = 0; k < 3; ++k) {
                d[k] = double{p[4 * j + k]} - p[4 * i + k];
                r += d[k] * d[k];
            }
            for (std::size_t k = 0; k < 3; ++k)
                expected[3 * i + k] += static_cast<float>(p[4 * j + 3] * d[k] / std::pow(r, 1.5));
        }
    judge({.cuda = R"(
struct body { float3 at; float mass; };
__global__ void forces(float4 const* bodies, float3* out, int n) {
    __shared__ body tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 me = i < n ? make_float3(bodies[i].x, bodies[i].y, bodies[i].z) : float3{}, sum{};
    auto pull = [&](body const& b) {
        float3 d = make_float3(b.at.x - me.x, b.at.y - me.y, b.at.z - me.z);
        float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        float s = b.mass * inverse * inverse * inverse;
        sum.x += s * d.x; sum.y += s * d.y; sum.z += s * d.z;
    };
    for (int j0 = 0; j0 < n; j0 += 32) {
        int j = j0 + threadIdx.x;
        tile[threadIdx.x] = j < n ? body{{bodies[j].x, bodies[j].y, bodies[j].z}, bodies[j].w} : body{};
        __syncthreads();
        for (int k = 0; k < 32; ++k) pull(tile[k]);
        __syncthreads();
    }
    if (i < n) out[i] = sum;
})",
           .wgsl = {R"(
struct Body { at: vec3<f32>, mass: f32 }
@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> forces_on: array<vec3<f32>>;
@group(0) @binding(2) var<uniform> n: i32;

var<workgroup> tile: array<Body, 32>;

fn body(i: i32) -> Body {
    if (i >= n) { return Body(); }
    return Body(bodies[i].xyz, bodies[i].w);
}

@compute @workgroup_size(32)
fn forces(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let i = i32(id.x);
    let me = body(i);
    var sum = vec3<f32>();
    for (var j0 = 0; j0 < n; j0 += 32) {
        tile[local.x] = body(j0 + i32(local.x));
        workgroupBarrier();
        for (var k = 0; k < 32; k++) {
            let d = tile[k].at - me.at;
            let inverse = inverseSqrt(dot(d, d) + 0.01);
            sum += tile[k].mass * inverse * inverse * inverse * d;
        }
        workgroupBarrier();
    }
    if (i < n) { forces_on[i] = sum; }
})"},
           .grid = {blocks(n, 32)},
           .block = {32},
           .arguments = {in(p, 4), out<float>(3 * n, 3), value(n)},
           .expected = {nearly(expected, 1e-3, 3)}});
}
