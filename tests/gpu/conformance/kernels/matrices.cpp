// SPDX-License-Identifier: BSL-1.0
// Matrices, in tiles and without.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: transpose through a padded tile") {
    constexpr int w = 45, h = 70;
    auto const x = random_floats(w * h, 8);
    std::vector<float> expected(x.size());
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) expected[at(c * h + r)] = x[at(r * w + c)];
    kernel_case k{.cuda = R"(
__global__ void transpose(float const* __restrict__ a, float* __restrict__ b, int w, int h) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < h && y + k < w) b[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
})",
                  .wgsl = {R"(
override TILE: u32 = 16;
override ROWS: u32 = 1;
override PITCH: u32 = TILE + 1;
struct Extent { w: u32, h: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> tile: array<f32, TILE * PITCH>;

@compute @workgroup_size(TILE, ROWS)
fn transpose(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    var x = block.x * TILE + local.x;
    var y = block.y * TILE + local.y;
    for (var k = 0u; k < TILE; k += ROWS) {
        if (x < extent.w && y + k < extent.h) { tile[(local.y + k) * PITCH + local.x] = a[(y + k) * extent.w + x]; }
    }
    workgroupBarrier();
    x = block.y * TILE + local.x;
    y = block.x * TILE + local.y;
    for (var k = 0u; k < TILE; k += ROWS) {
        if (x < extent.h && y + k < extent.w) { b[(y + k) * extent.h + x] = tile[local.x * PITCH + local.y + k]; }
    }
})"},
                  .grid = {blocks(w, 32), blocks(h, 32)},
                  .block = {32, 8},
                  .arguments = {in(x), out<float>(w * h), value(w), value(h)},
                  .expected = {exactly(expected)}};
    k.definitions.values = {{"TILE", std::int64_t{32}}, {"ROWS", std::int64_t{8}}};
    judge(k);
}

TEST_CASE("kernels: matrix multiplication, naive and tiled") {
    constexpr int n = 50;
    auto const a = random_floats(n * n, 9), b = random_floats(n * n, 10);
    std::vector<float> expected(n * n);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            double s = 0;
            for (int k = 0; k < n; ++k) s += double{a[at(r * n + k)]} * b[at(k * n + c)];
            expected[at(r * n + c)] = static_cast<float>(s);
        }
    kernel_case k{.cuda = R"(
__global__ void matmul(float const* A, float const* B, float* C, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
})",
                  .wgsl = {R"(
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(16, 16)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y >= n || id.x >= n) { return; }
    var sum = 0.0;
    for (var k = 0u; k < n; k++) { sum += A[id.y * n + k] * B[k * n + id.x]; }
    C[id.y * n + id.x] = sum;
})"},
                  .grid = {blocks(n, 16), blocks(n, 16)},
                  .block = {16, 16},
                  .arguments = {in(a), in(b), out<float>(n * n), value(n)},
                  .expected = {nearly(expected, 1e-5)}};
    judge(k);
    k.cuda = R"(
#include <cuda_runtime.h>
#define TILE 16
template <typename T> __device__ T load(T const* m, int r, int c, int n) {
    return r < n && c < n ? m[r * n + c] : T(0);
}
__global__ void matmul(float const* A, float const* B, float* C, int n) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        As[ty][tx] = load(A, row, k0 + tx, n);
        Bs[ty][tx] = load(B, k0 + ty, col, n);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
})";
    k.wgsl.text = R"(
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> n: i32;

const TILE = 16;
alias Tile = array<array<f32, TILE>, TILE>;
var<workgroup> As: Tile;
var<workgroup> Bs: Tile;

fn inside(r: i32, c: i32) -> bool { return r < n && c < n; }

@compute @workgroup_size(TILE, TILE)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let t = vec2<i32>(local.xy);
    let row = i32(id.y);
    let col = i32(id.x);
    var sum = 0.0;
    for (var k0 = 0; k0 < n; k0 += TILE) {
        As[t.y][t.x] = select(0.0, A[row * n + k0 + t.x], inside(row, k0 + t.x));
        Bs[t.y][t.x] = select(0.0, B[(k0 + t.y) * n + col], inside(k0 + t.y, col));
        workgroupBarrier();
        for (var k = 0; k < TILE; k++) { sum += As[t.y][k] * Bs[k][t.x]; }
        workgroupBarrier();
    }
    if (inside(row, col)) { C[row * n + col] = sum; }
})";
    judge(k);
}
