// SPDX-License-Identifier: BSL-1.0
// cuda_fp8.h on the CPU: the same bits as kernel/float8.hpp, which is tested against the format's
// definition.
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
