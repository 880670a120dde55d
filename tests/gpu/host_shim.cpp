// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/host_shim.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <cmath>
#include <limits>

using namespace support;

TEST_CASE("host shim: it includes nothing, and holds only what is asked for") {
    auto const all = lkt::host_shim({.barriers = true,
                                     .half = true,
                                     .bfloat = true,
                                     .tensor = true,
                                     .copies = true,
                                     .waits = true,
                                     .groups = true}),
               least = lkt::host_shim({});
    CHECK(all.find("#include") == std::string::npos);
    CHECK(least.find("__global__") != std::string::npos);
    CHECK(all.find("void __syncthreads(") != std::string::npos);
    CHECK(least.find("void __syncthreads(") == std::string::npos);
    CHECK(all.find("struct __half ") != std::string::npos);
    CHECK(least.find("struct __half ") == std::string::npos);
    CHECK(all.find("struct __nv_bfloat16 ") != std::string::npos);
    CHECK(least.find("struct __nv_bfloat16 ") == std::string::npos);
    for (auto const* const part : {"namespace wmma", "class barrier", "struct thread_block_tile"}) {
        CAPTURE(part);
        CHECK(all.find(part) != std::string::npos);
        CHECK(least.find(part) == std::string::npos);
    }
    auto const wgsl = lkt::host_shim({.barriers = true, .wgsl = true});
    CHECK(wgsl.find("#include") == std::string::npos);
    for (auto const* const part :
         {"struct lkt_vec;", "LKT_FOLD(subgroupAdd", "lkt_begin_block()"}) {
        CAPTURE(part);
        CHECK(wgsl.find(part) != std::string::npos);
    }
    CHECK(all.find("struct lkt_vec;") == std::string::npos);
    CHECK(least.find("__sanitizer_cov") == std::string::npos);
    CHECK(lkt::host_shim({.branches = true}).find("__sanitizer_cov") != std::string::npos);
    CHECK(lkt::host_shim({.wgsl = true}).find("lkt_workgroupBarrier(") == std::string::npos);
}

TEST_CASE("host shim: mathematics as the C library has it") {
    std::vector<float> const x{0.3F, 1.7F, 2.5F, 9.0F};
    trial t{R"(
__global__ void k(float const* x, float* y, double* z) {
    float a = x[threadIdx.x];
    float* to = y + threadIdx.x * 16;
    to[0] = sinf(a) + cosf(a); to[1] = expf(a); to[2] = logf(a); to[3] = sqrtf(a); to[4] = rsqrtf(a);
    to[5] = powf(a, 1.5f); to[6] = tanhf(a); to[7] = erff(a); to[8] = fmodf(a, 0.7f); to[9] = atan2f(a, 2);
    to[10] = __expf(a) + __logf(a); to[11] = floorf(a) + ceil(a) + rintf(a); to[12] = hypotf(a, 1);
    to[13] = exp2f(a) + exp10f(a); to[14] = fmaxf(a, 1) + min(a, 2.0f) + abs(-a); to[15] = cbrtf(a);
    double s, c;
    sincos((double)a, &s, &c);
    z[threadIdx.x] = s * c + pow((double)a, 3) + std::sqrt((double)a) + log1p((double)a);
})",
            {1},
            {4},
            {in(x), out<float>(64), out<double>(4)}};
    auto const got = outputs(shared_host(), t);
    std::vector<float> y;
    std::vector<double> z;
    for (float const a : x) {
        double const d = a;
        for (double const v : {std::sin(d) + std::cos(d),
                               std::exp(d),
                               std::log(d),
                               std::sqrt(d),
                               1 / std::sqrt(d),
                               std::pow(d, 1.5),
                               std::tanh(d),
                               std::erf(d),
                               std::fmod(d, double{0.7F}),
                               std::atan2(d, 2.0),
                               std::exp(d) + std::log(d),
                               std::floor(d) + std::ceil(d) + std::rint(d),
                               std::hypot(d, 1.0),
                               std::exp2(d) + std::pow(10.0, d),
                               std::fmax(d, 1.0) + std::fmin(d, 2.0) + d,
                               std::cbrt(d)})
            y.push_back(static_cast<float>(v));
        z.push_back(std::sin(d) * std::cos(d) + d * d * d + std::sqrt(d) + std::log1p(d));
    }
    CHECK(distance(numbers<float>(got[0]), y) < 1e-5);
    CHECK(distance(numbers<double>(got[1]), z) < 1e-12);
}

TEST_CASE("host shim: fast functions err as a device's do, and no more") {
    trial t{R"(
__global__ void k(float const* x, float* y) {
    float const a = x[0];
    y[0] = __sinf(1000 * a) - sinf(1000 * a); y[1] = __logf(1 + 0x1p-20f * a) / logf(1 + 0x1p-20f * a) - 1;
    y[2] = __tanhf(a) / tanhf(a) - 1; y[3] = __expf(-60 * a) / expf(-60 * a) - 1;
    y[4] = __powf(1 + 0x1p-12f, 4096 * a) / powf(1 + 0x1p-12f, 4096 * a) - 1;
})",
            {1},
            {1},
            {in(std::vector<float>{1.37F}), out<float>(5)}};
    auto const errors = numbers<float>(outputs(shared_host(), t)[0]);
    double const most[] = {0x1p-13, 0.25, 0x1p-11, 0x1p-17, 0x1p-9};
    for (std::size_t k = 0; k < errors.size(); ++k) {
        CAPTURE(k);
        CHECK(std::fabs(errors[k]) > most[k] / 4096);
        CHECK(std::fabs(errors[k]) < most[k]);
    }
}

TEST_CASE("host shim: conversions clamp, and NaN becomes 0, as on a GPU") {
    float const inf = std::numeric_limits<float>::infinity();
    std::vector<float> const x{2.5F, -2.5F, 3e9F, -3e9F, inf, -inf, NAN, 5e9F};
    trial t{R"(
__global__ void k(float const* x, int* y, unsigned* u) {
    float a = x[threadIdx.x];
    y[threadIdx.x] = __float2int_rn(a);
    u[threadIdx.x] = __float2uint_rz(a);
})",
            {1},
            {8},
            {in(x), out<int>(8), out<std::uint32_t>(8)}};
    auto const got = outputs(shared_host(), t);
    constexpr int top = std::numeric_limits<int>::max(), bottom = std::numeric_limits<int>::min();
    CHECK(numbers<int>(got[0]) == std::vector<int>{2, -2, top, bottom, top, bottom, 0, top});
    CHECK(numbers<std::uint32_t>(got[1]) ==
          std::vector<std::uint32_t>{2, 0, 3'000'000'000U, 0, ~0U, 0, 0, ~0U});
}

TEST_CASE("host shim: shuffles of every kind and width, as the programming guide defines them") {
    trial t{R"(
__global__ void k(int* y) {
    int lane = threadIdx.x;
    int* to = y + lane * 8;
    to[0] = __shfl_sync(~0u, lane, 5);
    to[1] = __shfl_sync(~0u, lane, 5, 8);
    to[2] = __shfl_up_sync(~0u, lane, 3, 16);
    to[3] = __shfl_down_sync(~0u, lane, 3, 16);
    to[4] = __shfl_xor_sync(~0u, lane, 6);
    to[5] = __shfl_xor_sync(~0u, lane, 12, 8);
    to[6] = lane < 16 ? __shfl_sync(0xffffu, lane, 15) : __shfl_sync(0xffff0000u, lane, 16);
    to[7] = (int)__shfl_sync(~0u, (long long)lane << 33 | 1, 31) + (int)(__shfl_sync(~0u, (double)lane, 2));
})",
            {1},
            {32},
            {out<int>(256)}};
    std::vector<int> expected;
    for (int lane = 0; lane < 32; ++lane) {
        int const in8 = lane / 8 * 8, in16 = lane / 16 * 16;
        expected.push_back(5);
        expected.push_back(in8 + 5);
        expected.push_back(lane - in16 >= 3 ? lane - 3 : lane);
        expected.push_back(lane - in16 < 13 ? lane + 3 : lane);
        expected.push_back(lane ^ 6);
        // Lanes of later segments are out of reach, those of earlier ones are not.
        expected.push_back((lane ^ 12) < in8 + 8 ? lane ^ 12 : lane);
        expected.push_back(lane < 16 ? 15 : 16);
        expected.push_back(1 + 2);
    }
    CHECK(numbers<int>(outputs(shared_host(), t)[0]) == expected);
}

TEST_CASE("host shim: what CUDA leaves open is not what a kernel would like to have") {
    trial t{R"(
__global__ void k(float* y) {
    int const lane = threadIdx.x;
    y[lane] = __powf(lane - 1.0f, 2.0f) + __fdividef(lane, 0x1p127f);
    if (lane >= 20) return;
    y[32 + lane] = __shfl_down_sync(~0u, 1.0f, 8); // of lanes that have returned, for some
})",
            {1},
            {32},
            {out<float>(64)}};
    auto const y = numbers<float>(outputs(shared_host(), t)[0]);
    CHECK(std::isnan(y[0])); // of a negative base
    CHECK(y[1] == 0.0F);
    CHECK(y[4] == doctest::Approx(9));
    for (std::size_t lane = 0; lane < 20; ++lane)
        CHECK((std::abs(y[32 + lane] - 1) < 1e30F) == (lane < 12));
}

TEST_CASE(
    "host shim: a half of a lane that is not there is neither the least nor the largest wanted") {
    trial t{R"(
#include <cuda_fp16.h>
__global__ void k(float* y) {
    int const lane = threadIdx.x;
    __half const other = __shfl_down_sync(~0u, __float2half(1.0f), 1);
    y[lane] = __half2float(other);
})",
            {1},
            {31},
            {out<float>(31)}};
    auto two = t;
    two.block = {30};
    CHECK(numbers<float>(outputs(shared_host(), t)[0])[30] < -1e4F);
    CHECK(numbers<float>(outputs(shared_host(), two)[0])[29] > 1e4F);
}

TEST_CASE("host shim: what is written as one type is read as another, as on a device") {
    trial t{R"(
__device__ __noinline__ unsigned bits_after(unsigned* bits, float* number) {
    *bits = 1;
    *number = 2.0f;
    return *bits;
}
__global__ void k(unsigned* y) {
    y[threadIdx.x + 4] = bits_after(y + threadIdx.x, reinterpret_cast<float*>(y + threadIdx.x));
})",
            {1},
            {4},
            {out<std::uint32_t>(8)}};
    CHECK(numbers<std::uint32_t>(outputs(shared_host(), t)[0]) ==
          std::vector<std::uint32_t>(8, 0x40000000));
}

TEST_CASE("host shim: std, vectors and bfloat16") {
    trial t{R"(
#include <cuda_bf16.h>
#include <type_traits>
#include <limits>
template <class T> __device__ std::enable_if_t<std::is_same_v<T, float>, int> kind(T) { return 1; }
template <class T> __device__ std::enable_if_t<!std::is_same_v<T, float>, int> kind(T) { return 2; }
__global__ void k(float* y) {
    int4 v = make_int4(1, 2, 3, 4);
    uchar4 b = make_uchar4(1, 2, 255, 4);
    double2 d = {1.5, 2.5};
    y[0] = v.x + v.w + b.z; y[1] = d.x + d.y; y[2] = sizeof(float3) + sizeof(float4) + alignof(float4);
    y[3] = kind(1.0f) + kind(1); y[4] = std::numeric_limits<int>::max() == INT_MAX ? 1 : 0;
    y[5] = (float)(__nv_bfloat16(1.0f) + __nv_bfloat16(0.00390625f)); // half a step of bfloat16: to even
    y[6] = std::max(1, 2) + std::min(2.0f, 3.0f);
    y[6] += std::initializer_list<int>{1, 2}.size();
    for (int const i : {b.x, b.y}) y[6] += i;
    y[7] = __popcll(0xffull) + __umulhi(1u << 31, 4u) + (__byte_perm(0x01020304, 0, 0x0123) == 0x04030201);
})",
            {1},
            {1},
            {out<float>(8)}};
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) ==
          std::vector<float>{260, 4, 12 + 16 + 16, 3, 1, 1, 4 + 2 + 3, 8 + 2 + 1});
}
