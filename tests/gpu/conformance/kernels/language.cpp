// SPDX-License-Identifier: BSL-1.0
// What the languages themselves offer: templates and overrides, half precision, intrinsics.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

using namespace conformance;
using namespace support;

TEST_CASE("kernels: template kernels get their arguments by name or by definition") {
    auto const x = random_floats(256, 29);
    std::vector<float> expected(64);
    for (std::size_t i = 0; i < 64; ++i)
        expected[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
    kernel_case k{.cuda = R"(
namespace sums {
template <typename T, int PER_THREAD, bool NEGATE = false>
__global__ void fold(T const* x, T* y) {
    T sum = 0;
#pragma unroll PER_THREAD
    for (int k = 0; k < PER_THREAD; ++k) sum += x[(blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD + k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = NEGATE ? -sum : sum;
} })",
                  .wgsl = {R"(
alias T = f32;
@id(7) override NEGATE: bool = false;
override PER_THREAD: u32;
@group(0) @binding(0) var<storage, read> x: array<T>;
@group(0) @binding(1) var<storage, read_write> y: array<T>;

@compute @workgroup_size(32)
fn fold(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum: T;
    for (var k = 0u; k < PER_THREAD; k++) { sum += x[id.x * PER_THREAD + k]; }
    y[id.x] = select(sum, -sum, NEGATE);
})"},
                  .grid = {2},
                  .block = {32},
                  .arguments = {in(x), out<float>(64)},
                  .expected = {nearly(expected, 1e-6)},
                  .name = "fold<float, PER_THREAD>"};
    k.definitions.values = {{"PER_THREAD", std::int64_t{4}}};
    judge(k);
    k.wgsl = not_in_wgsl("a type is no parameter");
    k.name.clear();
    k.template_parameters = {"typename T", "int PER_THREAD", "bool NEGATE = false"};
    k.definitions.values = {{"T", std::string{"float"}}, {"PER_THREAD", std::int64_t{4}}};
    judge(k);
}

TEST_CASE("kernels: a flag and a fraction as parameters") {
    auto const x = random_floats(100, 37);
    std::vector<float> expected;
    for (float const v : x) expected.push_back(-0.125F * v);
    kernel_case k{.cuda = R"(
__global__ void scaled(float const* x, float* y) {
    float const v = FACTOR * x[threadIdx.x];
    y[threadIdx.x] = NEGATE ? -v : v;
})",
                  .wgsl = {R"(
override FACTOR: f32 = 1.0;
override NEGATE: bool = false;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(100)
fn scaled(@builtin(local_invocation_index) i: u32) {
    let v = FACTOR * x[i];
    if (NEGATE) { y[i] = -v; } else { y[i] = v; }
})"},
                  .block = {100},
                  .arguments = {in(x), out<float>(100)},
                  .expected = {nearly(expected, 1e-6)}};
    k.definitions.values = {{"FACTOR", 0.125}, {"NEGATE", true}};
    judge(k);
}

TEST_CASE("kernels: half precision is rounded after each operation") {
    std::vector<std::uint16_t> const x{0x3c00, 0x4000, 0x7bff, 0x0400}; // 1, 2, 65504, 2^-14
    judge({.cuda = R"(
#include <cuda_fp16.h>
__global__ void twice(__half const* x, __half* y) {
    y[threadIdx.x] = __hadd(x[threadIdx.x], x[threadIdx.x]);
})",
           .wgsl = {R"(
enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;

@compute @workgroup_size(4)
fn twice(@builtin(local_invocation_index) i: u32) { y[i] = x[i] + x[i]; })"},
           .grid = {1},
           .block = {4},
           .arguments = {in(x), out<std::uint16_t>(4)},
           .expected = {exactly(std::vector<std::uint16_t>{0x4000, 0x4400, 0x7c00, 0x0800})}});
}

TEST_CASE("kernels: half precision below the normal numbers") {
    std::vector<std::uint16_t> const x{0x0001}; // 2^-24
    judge({.cuda = R"(
#include <cuda_fp16.h>
__global__ void twice(__half const* x, __half* y) { y[0] = __hadd(x[0], x[0]); })",
           .wgsl = not_in_wgsl("subnormal numbers may be flushed to zero"),
           .arguments = {in(x), out<std::uint16_t>(1)},
           .expected = {exactly(std::vector<std::uint16_t>{0x0002})}});
}

TEST_CASE("kernels: integer intrinsics and every atomic") {
    std::vector<int> const expected{7, 3, 31, 4, 32, 0x0f, -8, 5, 12, 9, 6, 0, 40, 42, 3, 15};
    judge({.cuda = R"(
__device__ unsigned long long wide = 40;
__global__ void facts(int* y) {
    __shared__ int v; __shared__ unsigned u; __shared__ float f;
    v = 5; u = 12; f = 2.5f;
    y[0] = atomicMax(&v, 7) + 2; y[1] = __popc(0x1011); y[2] = __clz(1); y[3] = __ffs(8);
    y[4] = __clz(0); y[5] = (int)(__brev(0xf0000000u)); y[6] = __float2int_rd(-7.5f);
    y[7] = (int)atomicExch(&f, 1.0f) + 3; y[8] = atomicCAS(&u, 12u, 9u); y[9] = u;
    y[10] = atomicMin(&v, 6) - 1; atomicAnd(&u, 0u); y[11] = u;
    y[12] = (int)atomicAdd(&wide, 2ull); y[13] = (int)atomicExch(&wide, 7ull);
    y[14] = min(3, 4u); atomicOr(&u, 12u); atomicXor(&u, 3u); y[15] = u;
})",
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read_write> y: array<i32, 16>;
var<workgroup> v: atomic<i32>;
var<workgroup> u: atomic<u32>;
var<workgroup> f: atomic<u32>; // a float's bits
var<workgroup> w: atomic<u32>;

@compute @workgroup_size(1)
fn facts() {
    atomicStore(&v, 5);
    atomicStore(&u, 12u);
    atomicStore(&f, bitcast<u32>(2.5f));
    atomicStore(&w, 40u);
    y[0] = atomicMax(&v, 7) + 2;
    var some = 0x1011u; // what the compiler does not know is computed by the device
    if (y[0] < 0) { some = 0u; }
    y[1] = i32(countOneBits(some));
    y[2] = i32(countLeadingZeros(some >> 12u));
    y[3] = i32(firstTrailingBit(some & 0x1000u)) - 8;
    y[4] = i32(countLeadingZeros(some >> 16u));
    y[5] = i32(reverseBits((some << 28u) | 0xe0000000u));
    y[6] = i32(floor(-7.5 * f32(some & 1u)));
    y[7] = i32(bitcast<f32>(atomicExchange(&f, bitcast<u32>(1.0f)))) + 3;
    y[8] = i32(atomicCompareExchangeWeak(&u, 12u, 9u).old_value);
    y[9] = i32(atomicLoad(&u));
    y[10] = atomicMin(&v, 6) - 1;
    atomicAnd(&u, 0u);
    y[11] = i32(atomicLoad(&u));
    y[12] = i32(atomicAdd(&w, 2u));
    y[13] = i32(atomicSub(&w, 7u));
    y[14] = i32(min(3u, some));
    atomicOr(&u, 12u);
    atomicXor(&u, 3u);
    y[15] = i32(atomicLoad(&u));
})"},
           .grid = {1},
           .block = {1},
           .arguments = {out<int>(16)},
           .expected = {exactly(expected)}});
}
