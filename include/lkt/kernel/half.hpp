// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <bit>
#include <cstdint>

namespace lkt {

namespace detail::kernel {

/// A double as a 16-bit float of `Exponent` and `Fraction` bits, rounded once to the nearest, ties
/// to even, overflow to infinity, subnormals kept (IEEE 754-2019, 4.3.1). NaN becomes a quiet NaN.
template <int Exponent, int Fraction>
constexpr std::uint16_t encode_float(double value) {
    constexpr int bias = (1 << (Exponent - 1)) - 1;
    constexpr std::uint64_t infinity = ((std::uint64_t{1} << Exponent) - 1) << Fraction;
    auto const bits = std::bit_cast<std::uint64_t>(value);
    std::uint64_t const sign = bits >> 63 << (Exponent + Fraction);
    int const exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t const fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7ff) {
        std::uint64_t const quiet = fraction == 0 ? 0 : std::uint64_t{1} << (Fraction - 1);
        return static_cast<std::uint16_t>(sign | infinity | quiet);
    }
    int const scale = exponent - 1023; // a subnormal double is below every target's smallest value
    if (exponent == 0 || scale < -bias - Fraction) return static_cast<std::uint16_t>(sign);
    std::uint64_t const whole = fraction | std::uint64_t{1} << 52;
    int const lost = 52 - Fraction + (scale < 1 - bias ? 1 - bias - scale : 0);
    std::uint64_t kept = whole >> lost;
    std::uint64_t const rest = whole & ((std::uint64_t{1} << lost) - 1);
    std::uint64_t const half = std::uint64_t{1} << (lost - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // A carry out of the fraction lands in the exponent, as it should.
    if (scale >= 1 - bias) kept += static_cast<std::uint64_t>(scale + bias - 1) << Fraction;
    return static_cast<std::uint16_t>(sign | (kept < infinity ? kept : infinity));
}

template <int Exponent, int Fraction>
constexpr double decode_float(std::uint16_t bits) {
    constexpr int bias = (1 << (Exponent - 1)) - 1;
    constexpr std::uint64_t top = (std::uint64_t{1} << Exponent) - 1;
    std::uint64_t const sign = std::uint64_t{bits} >> (Exponent + Fraction) << 63;
    std::uint64_t const exponent = std::uint64_t{bits} >> Fraction & top;
    std::uint64_t const fraction = bits & ((std::uint64_t{1} << Fraction) - 1);
    if (exponent == 0) {
        // 2^(1 - bias - Fraction), the unit of the subnormals, as a double.
        auto const unit = static_cast<std::uint64_t>(1023 + 1 - bias - Fraction) << 52;
        double const magnitude = static_cast<double>(fraction) * std::bit_cast<double>(unit);
        return sign != 0 ? -magnitude : magnitude;
    }
    std::uint64_t const wide = exponent == top ? 0x7ff : exponent + 1023 - bias;
    return std::bit_cast<double>(sign | wide << 52 | fraction << (52 - Fraction));
}

} // namespace detail::kernel

/// IEEE binary16 (`half`), as its bits.
[[nodiscard]] constexpr std::uint16_t encode_float16(double value) {
    return detail::kernel::encode_float<5, 10>(value);
}
[[nodiscard]] constexpr double decode_float16(std::uint16_t bits) {
    return detail::kernel::decode_float<5, 10>(bits);
}

/// bfloat16 (`__nv_bfloat16`), as its bits.
[[nodiscard]] constexpr std::uint16_t encode_bfloat16(double value) {
    return detail::kernel::encode_float<8, 7>(value);
}
[[nodiscard]] constexpr double decode_bfloat16(std::uint16_t bits) {
    return detail::kernel::decode_float<8, 7>(bits);
}

} // namespace lkt
