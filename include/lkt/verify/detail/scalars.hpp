// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/value_type.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace lkt::detail {

/// The value of an IEEE 754 binary16 bit pattern.
[[nodiscard]] inline double decode_float16(std::uint16_t bits) {
    int const exponent = (bits >> 10) & 0x1f;
    double const fraction = bits & 0x3ff;
    double value = 0;
    if (exponent == 0x1f)
        value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
        value = std::ldexp(fraction, -24);
    else
        value = std::ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

/// Nearest binary16, ties to even; above 65504 and a half step it is infinite.
[[nodiscard]] inline std::uint16_t encode_float16(double value) {
    std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
    double const magnitude = std::fabs(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
    // Below 2^-14 the step is fixed at 2^-24. `nearbyint` rounds ties to even, and a carry out of
    // the fraction lands in the exponent field, which is what it should do.
    int exponent = magnitude == 0 ? -14 : std::ilogb(magnitude);
    if (exponent < -14) exponent = -14;
    double const steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    int const normal = (exponent + 14) << 10;
    return static_cast<std::uint16_t>(sign | (normal + static_cast<int>(steps)));
}

[[nodiscard]] inline double decode_bfloat16(std::uint16_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Nearest bfloat16, ties to even, of a double that is rounded once.
[[nodiscard]] inline std::uint16_t encode_bfloat16(double value) {
    if (std::isnan(value)) return std::signbit(value) ? 0xffc0 : 0x7fc0;
    std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
    double const magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | 0x7f80);
    int exponent = magnitude == 0 ? -126 : std::ilogb(magnitude);
    if (exponent < -126) exponent = -126;
    if (exponent > 127) return static_cast<std::uint16_t>(sign | 0x7f80);
    double const steps = std::nearbyint(std::ldexp(magnitude, 7 - exponent));
    int const normal = (exponent + 126) << 7;
    return static_cast<std::uint16_t>(sign | (normal + static_cast<int>(steps)));
}

/// Calls `f` with a value of the C++ type that holds one lane of `t` in memory; the two 16-bit
/// floating types come as `std::uint16_t`, booleans as `std::uint8_t`.
template <class F>
decltype(auto) with_storage(scalar_type t, F&& f) {
    switch (t) {
    case scalar_type::boolean:
    case scalar_type::uint8:
        return f(std::uint8_t{});
    case scalar_type::int8:
        return f(std::int8_t{});
    case scalar_type::int16:
        return f(std::int16_t{});
    case scalar_type::uint16:
    case scalar_type::float16:
    case scalar_type::bfloat16:
        return f(std::uint16_t{});
    case scalar_type::int32:
        return f(std::int32_t{});
    case scalar_type::uint32:
        return f(std::uint32_t{});
    case scalar_type::int64:
        return f(std::int64_t{});
    case scalar_type::uint64:
        return f(std::uint64_t{});
    case scalar_type::float32:
        return f(float{});
    case scalar_type::float64:
        break;
    }
    return f(double{});
}

/// One lane as a double: exact, but for 64-bit integers above 2^53.
[[nodiscard]] inline double lane_as_double(argument_data const& data, std::size_t lane) {
    scalar_type const t = data.type.scalar;
    if (t == scalar_type::float16) return decode_float16(data.lane<std::uint16_t>(lane));
    if (t == scalar_type::bfloat16) return decode_bfloat16(data.lane<std::uint16_t>(lane));
    return with_storage(t, [&](auto kind) {
        return static_cast<double>(data.lane<decltype(kind)>(lane));
    });
}

/// `value` rounded to the nearest value of the floating type `t`, as a double.
[[nodiscard]] inline double rounded_to(scalar_type t, double value) {
    if (t == scalar_type::float16) return decode_float16(encode_float16(value));
    if (t == scalar_type::bfloat16) return decode_bfloat16(encode_bfloat16(value));
    if (t == scalar_type::float32) return static_cast<double>(static_cast<float>(value));
    return value;
}

/// Largest finite value of the floating type `t`.
[[nodiscard]] inline double largest_finite(scalar_type t) {
    if (t == scalar_type::float16) return 65504;
    if (t == scalar_type::bfloat16) return decode_bfloat16(0x7f7f);
    if (t == scalar_type::float32) return static_cast<double>(std::numeric_limits<float>::max());
    return std::numeric_limits<double>::max();
}

/// Smallest and largest value of the integer type `t` (or bool), the upper one as unsigned bits.
struct integer_limits {
    std::int64_t low = 0;
    std::uint64_t high = 0;
};
[[nodiscard]] inline integer_limits limits_of(scalar_type t) {
    if (t == scalar_type::boolean) return {0, 1};
    return with_storage(t, [](auto kind) -> integer_limits {
        using storage = decltype(kind);
        if constexpr (std::numeric_limits<storage>::is_integer)
            return {static_cast<std::int64_t>(std::numeric_limits<storage>::min()),
                    static_cast<std::uint64_t>(std::numeric_limits<storage>::max())};
        else
            return {};
    });
}

/// Writes an integer, given as two's complement bits, into a lane of an integer type.
inline void store_integer(argument_data& data, std::size_t lane, std::uint64_t bits) {
    std::size_t const size = size_of(data.type.scalar);
    // Little endian on every platform that lkt supports.
    std::memcpy(data.bytes.data() + lane * size, &bits, size);
}

/// Writes a double into a lane of a floating type, rounded to nearest.
inline void store_real(argument_data& data, std::size_t lane, double value) {
    auto const put = [&](auto stored) {
        std::memcpy(data.bytes.data() + lane * sizeof stored, &stored, sizeof stored);
    };
    scalar_type const t = data.type.scalar;
    if (t == scalar_type::float16) return put(encode_float16(value));
    if (t == scalar_type::bfloat16) return put(encode_bfloat16(value));
    if (t == scalar_type::float32) return put(static_cast<float>(value));
    put(value);
}

} // namespace lkt::detail
