// SPDX-License-Identifier: BSL-1.0
// Many elements become few: threads work together through shared memory, shuffles and atomics.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
