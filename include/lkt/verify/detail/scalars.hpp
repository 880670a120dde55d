// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/half.hpp>
#include <lkt/kernel/value_type.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace lkt::detail {

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

/// `value` rounded to the nearest value of the floating type `t`, as a double.
[[nodiscard]] inline double rounded_to(scalar_type t, double value) {
    if (t == scalar_type::float16) return decode_float16(encode_float16(value));
    if (t == scalar_type::bfloat16) return decode_bfloat16(encode_bfloat16(value));
    if (t != scalar_type::float32) return value;
    // Converting a double beyond float's range is undefined; this is what IEEE 754 says.
    if (std::fabs(value) >= 0x1.ffffffp127) return std::copysign(HUGE_VAL, value);
    return static_cast<double>(static_cast<float>(value));
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
