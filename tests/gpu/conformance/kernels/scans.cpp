// SPDX-License-Identifier: BSL-1.0
// Each element's place or value depends on all before it: scans, compaction, sorting.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: inclusive scan") {
    auto const x = random_ints(512, 7, -9, 9);
    std::vector<int> expected(512);
    std::partial_sum(x.begin(), x.begin() + 256, expected.begin());
    std::partial_sum(x.begin() + 256, x.end(), expected.begin() + 256);
    judge({.cuda = R"(
__global__ void scan(const int* in, int* out) {
    extern __shared__ int buffer[];
    int t = threadIdx.x, n = blockDim.x, from = 0;
    buffer[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int to = 1 - from;
        buffer[to * n + t] = buffer[from * n + t] + (t >= d ? buffer[from * n + t - d] : 0);
        from = to;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = buffer[from * n + t];
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;

const n = 256u;
var<workgroup> buffer: array<array<i32, n>, 2>;

@compute @workgroup_size(n)
fn scan(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    var here = 0u;
    buffer[0][t] = input[id.x];
    workgroupBarrier();
    for (var d = 1u; d < n; d *= 2u) {
        var v = buffer[here][t];
        if (t >= d) { v += buffer[here][t - d]; }
        here = 1u - here;
        buffer[here][t] = v;
        workgroupBarrier();
    }
    output[id.x] = buffer[here][t];
})"},
           .grid = {2},
           .block = {256},
           .arguments = {in(x), out<int>(512)},
           .expected = {exactly(expected)},
           .shared = 2 * 256 * 4});
}

TEST_CASE("kernels: warp scan with shuffles up, of 64-bit values") {
    std::vector<double> x(96), expected(96);
    for (std::size_t i = 0; i < 96; ++i) x[i] = 1.0 / static_cast<double>(i + 1);
    for (int w = 0; w < 3; ++w)
        std::partial_sum(x.begin() + w * 32, x.begin() + (w + 1) * 32, expected.begin() + w * 32);
    judge({.cuda = R"(
__global__ void warp_scan(double const* x, double* y) {
    double v = x[threadIdx.x];
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        double u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    y[threadIdx.x] = v;
})",
           .wgsl = not_in_wgsl("it has no f64, and subgroups have any size"),
           .grid = {1},
           .block = {96},
           .arguments = {in(x), out<double>(96)},
           .expected = {nearly(expected, 1e-12)}});
}

TEST_CASE("kernels: bitonic sort in shared memory") {
    auto const x = random_ints(1024, 23, -100'000, 100'000);
    auto expected = x;
    std::sort(expected.begin(), expected.end());
    judge({.cuda = R"(
__global__ void bitonic(int* data) {
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    for (unsigned k = 2; k <= 1024; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if ((s[t] > s[other]) == up) { int v = s[t]; s[t] = s[other]; s[other] = v; }
            }
        }
    __syncthreads();
    data[t] = s[t];
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read_write> data: array<i32, 1024>;
var<workgroup> s: array<i32, 1024>;

@compute @workgroup_size(1024)
fn bitonic(@builtin(local_invocation_index) t: u32) {
    s[t] = data[t];
    for (var k = 2u; k <= 1024u; k <<= 1u) {
        for (var j = k >> 1u; j > 0u; j >>= 1u) {
            workgroupBarrier();
            let other = t ^ j;
            let up = (t & k) == 0u;
            if (other > t && (s[t] > s[other]) == up) {
                let v = s[t];
                s[t] = s[other];
                s[other] = v;
            }
        }
    }
    workgroupBarrier();
    data[t] = s[t];
})"},
           .grid = {1},
           .block = {1024},
           .arguments = {inout(x)},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: compaction with ballots") {
    auto const x = random_ints(256, 24, -50, 50);
    std::vector<int> expected(256, -1);
    for (std::size_t w = 0; w < 8; ++w) {
        auto to = w * 32;
        for (std::size_t i = w * 32; i < (w + 1) * 32; ++i)
            if (x[i] > 0) expected[to++] = x[i];
    }
    judge({.cuda = R"(
__global__ void compact(int const* x, int* y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31u;
    y[i] = -1;
    unsigned positive = __ballot_sync(0xffffffffu, x[i] > 0);
    __syncwarp();
    if (x[i] > 0) y[i - lane + __popc(positive & ((1u << lane) - 1))] = x[i];
})",
           // The ballot of 32 lanes is a word of workgroup memory.
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<i32>;
var<workgroup> ballots: array<atomic<u32>, 4>;

@compute @workgroup_size(128)
fn compact(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let i = id.x;
    let lane = t & 31u;
    y[i] = -1;
    if (x[i] > 0) { atomicOr(&ballots[t / 32u], 1u << lane); }
    workgroupBarrier();
    storageBarrier();
    let positive = atomicLoad(&ballots[t / 32u]);
    if (x[i] > 0) { y[i - lane + countOneBits(positive & ((1u << lane) - 1u))] = x[i]; }
})"},
           .grid = {2},
           .block = {128},
           .arguments = {in(x), out<int>(256)},
           .expected = {exactly(expected)}});
}
