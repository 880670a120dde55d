// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/float8.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

static_assert(lkt::encode_float8_e4m3(1.0) == 0x38);
static_assert(lkt::encode_float8_e5m2(1.0) == 0x3c);
static_assert(lkt::decode_float8_e4m3(0x7e) == 448);
static_assert(lkt::decode_float8_e5m2(0x7b) == 57344);

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What the OCP's table of formats says of a code: sign, exponent, fraction.
double value_of(unsigned code, int fraction_bits, int bias, unsigned sign) {
    unsigned const size = code & (sign - 1), exponent = size >> fraction_bits;
    double const fraction =
        static_cast<double>(size & ((1U << fraction_bits) - 1)) / (1 << fraction_bits);
    double const value = exponent == 0
                             ? fraction * std::pow(2.0, 1 - bias)
                             : (1 + fraction) * std::pow(2.0, static_cast<int>(exponent) - bias);
    return (code & sign) != 0 ? -value : value;
}

/// Each finite code is its value and back, and what lies between two of them goes to the nearer
/// one, from the middle to the even one.
template <class Encode, class Decode>
void check_all(Encode encode,
               Decode decode,
               unsigned largest,
               int fraction_bits,
               int bias,
               unsigned minus = 0x80) {
    int looked_at = 0;
    for (unsigned code = 0; code <= largest; ++code)
        for (unsigned const sign : {0U, minus}) {
            CAPTURE(code);
            auto const bits = static_cast<std::uint8_t>(code | sign);
            double const value = value_of(bits, fraction_bits, bias, minus);
            CHECK(decode(bits) == value);
            CHECK(encode(value) == bits);
            if (code == largest) continue;
            double const next = value_of(bits + 1U, fraction_bits, bias, minus);
            double const middle = (value + next) / 2; // exact
            CHECK(encode(middle) == (code % 2 == 0 ? bits : bits + 1));
            CHECK(encode(std::nextafter(middle, value)) == bits);
            CHECK(encode(std::nextafter(middle, next)) == bits + 1);
            ++looked_at;
        }
    CHECK(looked_at == 2 * static_cast<int>(largest));
}

} // namespace

TEST_CASE("float8_e4m3fn: every code, and what rounds to it") {
    check_all(lkt::encode_float8_e4m3, lkt::decode_float8_e4m3, 0x7e, 3, 7);
    CHECK(std::isnan(lkt::decode_float8_e4m3(0x7f)));
    CHECK(std::isnan(lkt::decode_float8_e4m3(0xff)));
}

TEST_CASE("float8_e5m2: every code, and what rounds to it") {
    check_all(lkt::encode_float8_e5m2, lkt::decode_float8_e5m2, 0x7b, 2, 15);
    CHECK(lkt::decode_float8_e5m2(0x7c) == infinity);
    CHECK(lkt::decode_float8_e5m2(0xfc) == -infinity);
    for (unsigned const nan : {0x7dU, 0x7eU, 0x7fU, 0xfdU})
        CHECK(std::isnan(lkt::decode_float8_e5m2(static_cast<std::uint8_t>(nan))));
}

TEST_CASE("float4_e2m1fn: every code, and what rounds to it") {
    check_all(lkt::encode_float4_e2m1, lkt::decode_float4_e2m1, 7, 1, 1, 8);
    CHECK(lkt::decode_float4_e2m1(7) == 6);
    for (double const large : {6.5, 7.0, 1e300, infinity}) {
        CHECK(lkt::encode_float4_e2m1(large) == 7);
        CHECK(lkt::encode_float4_e2m1(-large) == 15);
    }
    CHECK(lkt::encode_float4_e2m1(-std::nan("")) == 7); // as CUDA has it
}

TEST_CASE("What is too large becomes the largest value; NaN stays one, and infinity where it is") {
    for (double const large : {460.0, 500.0, 1e300, infinity}) {
        CHECK(lkt::encode_float8_e4m3(large) == 0x7e);
        CHECK(lkt::encode_float8_e4m3(-large) == 0xfe);
    }
    for (double const large : {61439.0, 61440.0, 65536.0, 1e300}) {
        CHECK(lkt::encode_float8_e5m2(large) == 0x7b);
        CHECK(lkt::encode_float8_e5m2(-large) == 0xfb);
    }
    CHECK(lkt::encode_float8_e5m2(-infinity) == 0xfc);
    CHECK(lkt::encode_float8_e4m3(-0.0) == 0x80);
    CHECK(lkt::encode_float8_e4m3(std::nan("")) == 0x7f);
    CHECK(std::isnan(lkt::decode_float8_e5m2(lkt::encode_float8_e5m2(std::nan("")))));
}
