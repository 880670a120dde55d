// SPDX-License-Identifier: BSL-1.0
// cuda_fp8.h and cuda_fp4.h on the CPU: the same bits as kernel/float8.hpp, which is tested against
// the format's definition.
#include <lkt/kernel/float8.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace support;

TEST_CASE("host float8: each code, each tie and their neighbours") {
    std::vector<float> x;
    auto const add = [&](double one, double next) {
        for (double const value : {one, (one + next) / 2})
            for (float const sign : {1.0F, -1.0F}) {
                float const f = sign * static_cast<float>(value); // exact
                for (float const to : {f, std::nextafter(f, HUGE_VALF), std::nextafter(f, 0.0F)})
                    x.push_back(to);
            }
    };
    for (std::uint8_t code = 0; code < 0x7e; ++code) {
        auto const next = static_cast<std::uint8_t>(code + 1);
        add(lkt::decode_float8_e4m3(code), lkt::decode_float8_e4m3(next));
        if (code < 0x7b) add(lkt::decode_float8_e5m2(code), lkt::decode_float8_e5m2(next));
    }
    for (float const special : {0.0F, 1e-9F, 463.0F, 465.0F, 61439.0F, 61441.0F, 1e30F})
        for (float const sign : {1.0F, -1.0F}) x.push_back(sign * special);
    trial t{R"(
 #include <cuda_fp8.h>
__global__ void k(float const* x, unsigned char* to, float* back, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_fp8_e4m3 const a(x[i]);
    __nv_fp8_e5m2 const b(x[i]);
    to[2 * i] = a.__x;
    to[2 * i + 1] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
    back[2 * i] = float(a);
    back[2 * i + 1] = static_cast<float>(b);
})",
            {static_cast<unsigned>(x.size() / 64 + 1)},
            {64},
            {in(x),
             out<std::uint8_t>(2 * x.size()),
             out<float>(2 * x.size()),
             value(static_cast<std::int32_t>(x.size()))}};
    auto const got = outputs(shared_host(), t);
    auto const bits = numbers<std::uint8_t>(got[0]);
    auto const back = numbers<float>(got[1]);
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const exact{x[i]};
        auto const a = lkt::encode_float8_e4m3(exact), b = lkt::encode_float8_e5m2(exact);
        bool const same = bits[2 * i] == a && bits[2 * i + 1] == b &&
                          double{back[2 * i]} == lkt::decode_float8_e4m3(a) &&
                          double{back[2 * i + 1]} == lkt::decode_float8_e5m2(b);
        CAPTURE(exact);
        if (!same) CHECK(unsigned{bits[2 * i]} == unsigned{a});
        wrong += same ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(x.size() > 2'500);
}

TEST_CASE("host float4: each code, each tie and their neighbours, pairs and fours") {
    std::vector<float> x{1e-9F, 100, HUGE_VALF, -HUGE_VALF, std::nanf("")};
    for (std::uint8_t code = 0; code < 8; ++code) {
        double const one = lkt::decode_float4_e2m1(code);
        double const next =
            code < 7 ? lkt::decode_float4_e2m1(static_cast<std::uint8_t>(code + 1)) : 8;
        for (double const value : {one, (one + next) / 2})
            for (float const sign : {1.0F, -1.0F}) {
                float const f = sign * static_cast<float>(value);
                for (float const to : {f, std::nextafter(f, HUGE_VALF), std::nextafter(f, 0.0F)})
                    x.push_back(to);
            }
    }
    while (x.size() % 4 != 0) x.push_back(1);
    trial t{R"(
#include <cuda_fp4.h>
__global__ void k(float const* x, __nv_fp4x2_storage_t* to, __nv_fp4x4_e2m1* fours, float* back, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    float4 const v{x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
    to[2 * i] = __nv_fp4x2_e2m1(float2{v.x, v.y}).__x;
    to[2 * i + 1] = __nv_cvt_float2_to_fp4x2(float2{v.z, v.w}, __NV_E2M1, cudaRoundNearest);
    fours[i] = __nv_fp4x4_e2m1(v);
    float2 const low(*(__nv_fp4x2_e2m1*)(to + 2 * i));
    __half2 const high(__nv_cvt_fp4x2_to_halfraw2(to[2 * i + 1], __NV_E2M1));
    back[4 * i] = low.x, back[4 * i + 1] = float(__nv_fp4_e2m1(v.y));
    back[4 * i + 2] = __low2float(high), back[4 * i + 3] = float4(fours[i]).w;
})",
            {static_cast<unsigned>(x.size() / 256 + 1)},
            {64},
            {in(x),
             out<std::uint8_t>(x.size() / 2),
             out<std::uint16_t>(x.size() / 4),
             out<float>(x.size()),
             value(static_cast<std::int32_t>(x.size()))}};
    auto const got = outputs(shared_host(), t);
    auto const pairs = numbers<std::uint8_t>(got[0]);
    auto const fours = numbers<std::uint16_t>(got[1]);
    auto const back = numbers<float>(got[2]);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        unsigned const bits = lkt::encode_float4_e2m1(double{x[i]});
        CHECK((pairs[i / 2] >> i % 2 * 4 & 15U) == bits);
        CHECK((fours[i / 4] >> i % 4 * 4 & 15U) == bits);
        CHECK(double{back[i]} == lkt::decode_float4_e2m1(static_cast<std::uint8_t>(bits)));
    }
}
