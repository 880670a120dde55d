// SPDX-License-Identifier: BSL-1.0
// Many elements become few: threads work together through shared memory, shuffles and atomics.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: sum by shared memory") {
    auto const x = random_ints(5000, 5, -100, 100);
    judge({.cuda = R"(
__global__ void sum(int const* x, int* total, int n) {
    __shared__ int part[256];
    int tid = threadIdx.x, acc = 0;
    for (int i = blockIdx.x * 256 + tid; i < n; i += 256 * gridDim.x) acc += x[i];
    part[tid] = acc;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(total, part[0]);
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<i32>;
@group(0) @binding(2) var<uniform> n: i32;

var<workgroup> part: array<i32, 256>;

@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) block: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
       @builtin(local_invocation_index) tid: u32) {
    var acc = 0;
    for (var i = i32(block.x * 256u + tid); i < n; i += i32(256u * groups.x)) { acc += x[i]; }
    part[tid] = acc;
    workgroupBarrier();
    for (var s = 128u; s > 0u; s >>= 1u) {
        if (tid < s) { part[tid] += part[tid + s]; }
        workgroupBarrier();
    }
    if (tid == 0u) { atomicAdd(&total, part[0]); }
})"},
           .grid = {7},
           .block = {256},
           .arguments = {in(x), inout(std::vector<int>{11}), value(5000)},
           .expected = {exactly(std::vector<int>{std::accumulate(x.begin(), x.end(), 11)})}});
}

TEST_CASE("kernels: sum by shuffles") {
    auto const x = random_floats(4096, 6);
    std::vector<float> expected;
    for (int b = 0; b < 16; ++b)
        expected.push_back(static_cast<float>(
            std::accumulate(x.begin() + b * 256, x.begin() + (b + 1) * 256, 0.0)));
    judge({.cuda = R"(
__inline__ __device__ float warp_sum(float v) {
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void __launch_bounds__(256) sum(float const* x, float* y) {
    static __shared__ float part[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float v = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
})",
           // Subgroups may have any size, so each adds its sum to the others'.
           .wgsl = {R"(
enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> part: array<f32, 256>;
var<workgroup> parts: atomic<u32>;

@compute @workgroup_size(256)
fn sum(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) block: vec3<u32>,
       @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32) {
    let v = subgroupAdd(x[id.x]);
    if (lane == 0u) { part[atomicAdd(&parts, 1u)] = v; }
    workgroupBarrier();
    if (local == 0u) {
        var s = 0.0;
        for (var k = 0u; k < atomicLoad(&parts); k++) { s += part[k]; }
        y[block.x] = s;
    }
})"},
           .grid = {16},
           .block = {256},
           .arguments = {in(x), out<float>(16)},
           .expected = {nearly(expected, 1e-4)}});
}

TEST_CASE("kernels: histogram with atomics in shared and global memory") {
    auto const x = random_ints(10'000, 11, 0, 63);
    std::vector<int> expected(64);
    for (int const v : x) ++expected[at(v)];
    judge({.cuda = R"(
__global__ void histogram(int const* x, int* bins, int n) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicInc(&local[x[i]], 0xffffffffu);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, (int)local[threadIdx.x]);
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<i32>>;
@group(0) @binding(2) var<uniform> n: i32;

var<workgroup> local: array<atomic<u32>, 64>; // zero at the beginning, as WGSL promises

@compute @workgroup_size(128)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    for (var i = i32(id.x); i < n; i += i32(groups.x) * 128) { atomicAdd(&local[x[i]], 1u); }
    workgroupBarrier();
    if (t < 64u) { atomicAdd(&bins[t], i32(atomicLoad(&local[t]))); }
})"},
           .grid = {8},
           .block = {128},
           .arguments = {in(x), inout(std::vector<int>(64)), value(10'000)},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: row softmax") {
    constexpr int rows = 9, columns = 77;
    auto const x = random_floats(rows * columns, 12, -5, 5);
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r) {
        auto const begin = x.begin() + r * columns, end = begin + columns;
        double const top = *std::max_element(begin, end);
        double sum = 0;
        for (auto i = begin; i != end; ++i) sum += std::exp(*i - top);
        for (auto i = begin; i != end; ++i)
            expected.push_back(static_cast<float>(std::exp(*i - top) / sum));
    }
    judge({.cuda = R"(
__global__ void softmax(const float* x, float* y, int columns) {
    __shared__ float shared[128];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = t; i < columns; i += blockDim.x) m = fmaxf(m, row[i]);
    shared[t] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) shared[t] = max(shared[t], shared[t + s]);
        __syncthreads();
    }
    m = shared[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < columns; i += blockDim.x) sum += expf(row[i] - m);
    shared[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) shared[t] += shared[t + s];
        __syncthreads();
    }
    for (int i = t; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - m) / shared[0];
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> columns: i32;

const width = 128;
var<workgroup> local: array<f32, width>;

@compute @workgroup_size(width)
fn softmax(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
    let row = i32(block.x) * columns;
    let t = i32(id.x);
    var m = -3.4e38;
    for (var i = t; i < columns; i += width) { m = max(m, x[row + i]); }
    local[t] = m;
    workgroupBarrier();
    for (var s = width / 2; s > 0; s /= 2) {
        if (t < s) { local[t] = max(local[t], local[t + s]); }
        workgroupBarrier();
    }
    m = local[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var i = t; i < columns; i += width) { sum += exp(x[row + i] - m); }
    local[t] = sum;
    workgroupBarrier();
    for (var s = width / 2; s > 0; s /= 2) {
        if (t < s) { local[t] += local[t + s]; }
        workgroupBarrier();
    }
    for (var i = t; i < columns; i += width) { y[row + i] = exp(x[row + i] - m) / local[0]; }
})"},
           .grid = {rows},
           .block = {128},
           .arguments = {in(x), out<float>(rows * columns), value(columns)},
           .expected = {nearly(expected, 2e-6)}});
}

TEST_CASE("kernels: layer norm by a warp for each row") {
    constexpr int rows = 10, columns = 100;
    auto const x = random_floats(rows * columns, 13), g = random_floats(columns, 14),
               b = random_floats(columns, 15);
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r) {
        double mean = 0, square = 0;
        for (int c = 0; c < columns; ++c) mean += x[at(r * columns + c)];
        mean /= columns;
        for (int c = 0; c < columns; ++c) square += std::pow(x[at(r * columns + c)] - mean, 2);
        for (int c = 0; c < columns; ++c)
            expected.push_back(static_cast<float>(
                (x[at(r * columns + c)] - mean) / std::sqrt(square / columns + 1e-5) * g[at(c)] +
                b[at(c)]));
    }
    judge({.cuda = R"(
__device__ __forceinline__ float all_sum(float v) {
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
    return v;
}
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0, square = 0;
    for (int c = threadIdx.x; c < columns; c += 32) sum += x[row * columns + c];
    float mean = all_sum(sum) / columns;
    for (int c = threadIdx.x; c < columns; c += 32) {
        float d = x[row * columns + c] - mean;
        square += d * d;
    }
    float scale = rsqrtf(all_sum(square) / columns + 1e-5f);
    for (int c = threadIdx.x; c < columns; c += 32)
        y[row * columns + c] = (x[row * columns + c] - mean) * scale * __ldg(gamma + c) + __ldg(&beta[c]);
})",
           .wgsl = {R"(
struct Extent { rows: i32, columns: i32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> extent: Extent;

var<workgroup> lanes: array<array<f32, 32>, 4>;

// Of the 32 lanes of a row; every row of the workgroup comes along.
fn all_sum(v: f32, local: vec3<u32>) -> f32 {
    lanes[local.y][local.x] = v;
    workgroupBarrier();
    for (var s = 16u; s > 0u; s >>= 1u) {
        if (local.x < s) { lanes[local.y][local.x] += lanes[local.y][local.x + s]; }
        workgroupBarrier();
    }
    let sum = lanes[local.y][0];
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(32, 4)
fn layer_norm(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = i32(block.x * 4u + local.y);
    let columns = select(0, extent.columns, row < extent.rows);
    let count = f32(extent.columns);
    var sum = 0.0;
    for (var c = i32(local.x); c < columns; c += 32) { sum += x[row * columns + c]; }
    let mean = all_sum(sum, local) / count;
    var square = 0.0;
    for (var c = i32(local.x); c < columns; c += 32) {
        let d = x[row * columns + c] - mean;
        square += d * d;
    }
    let scale = inverseSqrt(all_sum(square, local) / count + 1e-5);
    for (var c = i32(local.x); c < columns; c += 32) {
        y[row * columns + c] = (x[row * columns + c] - mean) * scale * gamma[c] + beta[c];
    }
})"},
           .grid = {blocks(rows, 4)},
           .block = {32, 4},
           .arguments =
               {in(x), in(g), in(b), out<float>(rows * columns), value(rows), value(columns)},
           .expected = {nearly(expected, 1e-5)}});
}

TEST_CASE("kernels: votes and reductions of a warp and a block") {
    auto const x = random_ints(96, 25, 0, 9);
    std::vector<int> expected;
    for (std::size_t w = 0; w < 3; ++w) {
        auto const begin = x.begin() + static_cast<int>(w) * 32, end = begin + 32;
        expected.push_back(std::all_of(begin, end, [](int v) { return v < 9; }) ? 1 : 0);
        expected.push_back(std::any_of(begin, end, [](int v) { return v == 3; }) ? 1 : 0);
        expected.push_back(std::accumulate(begin, end, 0));
        expected.push_back(-*std::max_element(begin, end));
        expected.push_back(static_cast<int>(std::count(begin, end, *begin)));
        expected.push_back(static_cast<int>(std::count(x.begin(), x.end(), 4)));
    }
    judge({.cuda = R"(
__global__ void votes(int const* x, int* y) {
    int v = x[threadIdx.x];
    int all = __all_sync(~0u, v < 9), any = __any_sync(~0u, v == 3);
    int sum = __reduce_add_sync(~0u, v), least = __reduce_min_sync(~0u, -v);
    int alike = __popc(__match_any_sync(~0u, v));
    int fours = __syncthreads_count(v == 4);
    if (!__syncthreads_and(v >= 0) || __syncthreads_or(v > 100)) fours = -1000;
    if (threadIdx.x % 32 == 0) {
        int* to = y + threadIdx.x / 32 * 6;
        to[0] = all; to[1] = any; to[2] = sum; to[3] = least; to[4] = alike; to[5] = fours;
    }
})",
           // What belongs to 32 lanes goes through atomics, as subgroups may have any size.
           .wgsl = {R"(
struct Votes { all: atomic<i32>, any: atomic<i32>, sum: atomic<i32>, least: atomic<i32>, alike: atomic<i32> }
@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<i32>;

var<workgroup> of_warp: array<Votes, 3>;
var<workgroup> fours: atomic<i32>;

@compute @workgroup_size(96)
fn votes(@builtin(local_invocation_index) t: u32) {
    let v = x[t];
    let warp = t / 32u;
    if (t % 32u == 0u) { atomicStore(&of_warp[warp].all, 1); }
    workgroupBarrier();
    atomicAnd(&of_warp[warp].all, i32(v < 9));
    atomicOr(&of_warp[warp].any, i32(v == 3));
    atomicAdd(&of_warp[warp].sum, v);
    atomicMin(&of_warp[warp].least, -v);
    if (v == x[warp * 32u]) { atomicAdd(&of_warp[warp].alike, 1); }
    if (v == 4) { atomicAdd(&fours, 1); }
    workgroupBarrier();
    if (t % 32u == 0u) {
        let to = 6u * warp;
        y[to] = atomicLoad(&of_warp[warp].all);
        y[to + 1u] = atomicLoad(&of_warp[warp].any);
        y[to + 2u] = atomicLoad(&of_warp[warp].sum);
        y[to + 3u] = atomicLoad(&of_warp[warp].least);
        y[to + 4u] = atomicLoad(&of_warp[warp].alike);
        y[to + 5u] = atomicLoad(&fours);
    }
})"},
           .grid = {1},
           .block = {96},
           .arguments = {in(x), out<int>(18)},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: dot product, double atomics, a guard that returns before the barrier") {
    auto const a = random_floats(n1, 26), b = random_floats(n1, 27);
    double expected = 0;
    for (std::size_t i = 0; i < n1; ++i) expected += double{a[i]} * b[i];
    judge({.cuda = R"(
__global__ void dot(float const* a, float const* b, double* total, int n) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd_block(&sum, (double)a[i] * b[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
})",
           .wgsl = not_in_wgsl("it has no f64"),
           .grid = {blocks(n1, 96)},
           .block = {96},
           .arguments = {in(a), in(b), inout(std::vector<double>{0}), value(n1)},
           .expected = {nearly(std::vector<double>{expected}, 1e-9)}});
}

TEST_CASE("kernels: sum of floats by compare and exchange") {
    auto const x = random_floats(512, 36);
    float const expected = static_cast<float>(std::accumulate(x.begin(), x.end(), 0.0));
    judge({.cuda = R"(
__global__ void sum(float const* x, unsigned* bits) {
    float const v = x[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_uint(__uint_as_float(seen) + v));
    } while (old != seen);
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> bits: atomic<u32>;

@compute @workgroup_size(64)
fn sum(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = x[id.x];
    var seen = atomicLoad(&bits);
    loop {
        let r = atomicCompareExchangeWeak(&bits, seen, bitcast<u32>(bitcast<f32>(seen) + v));
        if (r.exchanged) { break; }
        seen = r.old_value;
    }
})"},
           .grid = {8},
           .block = {64},
           .arguments = {in(x),
                         {lkt::make_buffer(
                              {lkt::scalar_type::uint32, 1},
                              std::span<std::uint32_t const>{std::vector<std::uint32_t>{0}}),
                          lkt::direction::inout}},
           .expected = {nearly(std::vector<float>{expected}, 1e-4)}});
}
