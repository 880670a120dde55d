// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/half.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

// Known values of IEEE 754 binary16 and of bfloat16 (the upper half of a binary32).
static_assert(lkt::encode_float16(1.0) == 0x3c00);
static_assert(lkt::encode_float16(-2.0) == 0xc000);
static_assert(lkt::encode_float16(65504.0) == 0x7bff);
static_assert(lkt::encode_bfloat16(1.0) == 0x3f80);

TEST_CASE("every half survives the way to double and back") {
    int looked_at = 0;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        auto const half = static_cast<std::uint16_t>(bits);
        double const f = lkt::decode_float16(half), b = lkt::decode_bfloat16(half);
        bool const f_same = std::isnan(f) || lkt::encode_float16(f) == half;
        bool const b_same = std::isnan(b) || lkt::encode_bfloat16(b) == half;
        if (!f_same || !b_same) CAPTURE(bits);
        if (!f_same || !b_same) REQUIRE((f_same && b_same));
        ++looked_at;
    }
    CHECK(looked_at == 65536);
}

TEST_CASE("bfloat16 is the upper half of a float") {
    for (std::uint32_t bits : {0x3f800000U, 0xc2f70000U, 0x00010000U, 0x7f800000U, 0x80000000U}) {
        auto const value = static_cast<double>(std::bit_cast<float>(bits));
        CHECK(lkt::encode_bfloat16(value) == bits >> 16);
    }
}

TEST_CASE("rounding is to nearest, ties to even, once") {
    CHECK(lkt::encode_float16(1.0 + 1.0 / 2048) == 0x3c00);         // a tie, down to even
    CHECK(lkt::encode_float16(1.0 + 3.0 / 2048) == 0x3c02);         // a tie, up to even
    CHECK(lkt::encode_float16(1.0 + 1.0 / 2048 + 1e-12) == 0x3c01); // through float this is a tie
    CHECK(lkt::encode_float16(65519.999) == 0x7bff);
    CHECK(lkt::encode_float16(65520.0) == 0x7c00); // a carry into infinity
    CHECK(lkt::encode_float16(1e300) == 0x7c00);
    CHECK(lkt::encode_float16(std::ldexp(1.0, -24)) == 0x0001);
    CHECK(lkt::encode_float16(std::ldexp(1.0, -25)) == 0x0000);
    CHECK(lkt::encode_float16(std::ldexp(1.0001, -25)) == 0x0001);
    CHECK(lkt::encode_float16(std::ldexp(1.0, -26)) == 0x0000);
    CHECK(lkt::encode_float16(-std::numeric_limits<double>::denorm_min()) == 0x8000);
    CHECK(lkt::encode_float16(std::ldexp(2047.0 / 2048, -14)) == 0x0400); // subnormal to normal
}

TEST_CASE("values that are not finite") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CHECK(lkt::encode_float16(infinity) == 0x7c00);
    CHECK(lkt::encode_bfloat16(-infinity) == 0xff80);
    CHECK(std::isnan(lkt::decode_float16(lkt::encode_float16(std::nan("")))));
    CHECK(std::isnan(lkt::decode_bfloat16(lkt::encode_bfloat16(-std::nan("")))));
    CHECK(std::isinf(lkt::decode_float16(0xfc00)));
    CHECK(std::signbit(lkt::decode_float16(0x8000)));
}
