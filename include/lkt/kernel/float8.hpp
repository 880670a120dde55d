// SPDX-License-Identifier: BSL-1.0
// Floats of 8 bits (OCP 8-bit Floating Point Specification, revision 1.0, 2023) and of 4 (OCP
// Microscaling Formats, version 1.0, 2023), as CUDA converts to them: what is too large becomes the
// largest finite value.
#pragma once

#include <lkt/kernel/half.hpp>

#include <bit>
#include <cstdint>

namespace lkt {

/// `float8_e4m3fn` (`__nv_fp8_e4m3`), as its bits: 4 bits of exponent, 3 of fraction, 448 at most.
/// There is no infinity: one becomes +-448. A NaN becomes 0x7f.
[[nodiscard]] constexpr std::uint8_t encode_float8_e4m3(double value) {
    if (value != value) return 0x7f;
    auto const sign = static_cast<unsigned>(std::bit_cast<std::uint64_t>(value) >> 63) << 7;
    double const magnitude = value < 0 ? -value : value;
    if (magnitude >= 448) return static_cast<std::uint8_t>(sign | 0x7e);
    // An IEEE type keeps its last exponent for infinities; halves need one less.
    unsigned const bits = magnitude < 128 ? detail::kernel::encode_float<4, 3>(magnitude)
                                          : detail::kernel::encode_float<4, 3>(magnitude / 2) + 8u;
    return static_cast<std::uint8_t>(sign | bits);
}
[[nodiscard]] constexpr double decode_float8_e4m3(std::uint8_t bits) {
    bool const beyond = (bits & 0x78) == 0x78 && (bits & 0x7f) != 0x7f; // IEEE's last exponent
    if (!beyond) return detail::kernel::decode_float<4, 3>(bits);
    return 2 * detail::kernel::decode_float<4, 3>(static_cast<std::uint16_t>(bits - 8));
}

/// `float8_e5m2` (`__nv_fp8_e5m2`), as its bits: the upper half of a float16, 57344 at most. An
/// infinity stays one.
[[nodiscard]] constexpr std::uint8_t encode_float8_e5m2(double value) {
    auto const bits = detail::kernel::encode_float<5, 2>(value);
    bool const finite = value - value == 0;
    return static_cast<std::uint8_t>(finite && (bits & 0x7c) == 0x7c ? bits - 1 : bits);
}
[[nodiscard]] constexpr double decode_float8_e5m2(std::uint8_t bits) {
    return detail::kernel::decode_float<5, 2>(bits);
}

/// `float4_e2m1fn` (`__nv_fp4_e2m1`), as its 4 bits: 2 of exponent, 1 of fraction, 6 at most. There
/// are neither infinities nor NaN: an infinity becomes +-6, a NaN 6.
[[nodiscard]] constexpr std::uint8_t encode_float4_e2m1(double value) {
    if (value != value) return 7;
    auto const sign = static_cast<unsigned>(std::bit_cast<std::uint64_t>(value) >> 63) << 3;
    double const magnitude = value < 0 ? -value : value;
    if (magnitude >= 6) return static_cast<std::uint8_t>(sign | 7);
    // As above: the last exponent, by half the value.
    unsigned const bits = magnitude < 2 ? detail::kernel::encode_float<2, 1>(magnitude)
                                        : detail::kernel::encode_float<2, 1>(magnitude / 2) + 2u;
    return static_cast<std::uint8_t>(sign | bits);
}
[[nodiscard]] constexpr double decode_float4_e2m1(std::uint8_t bits) {
    bool const beyond = (bits & 6) == 6;
    if (!beyond) return detail::kernel::decode_float<2, 1>(bits & 15);
    return 2 * detail::kernel::decode_float<2, 1>(static_cast<std::uint16_t>((bits & 15) - 2));
}

} // namespace lkt
