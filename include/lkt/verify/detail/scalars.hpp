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

/// `value` rounded to the nearest value of the floating type `t`, as a double.
[[nodiscard]] inline double rounded_to(scalar_type t, double value) {
    if (t == scalar_type::float16) return decode_float16(encode_float16(value));
    if (t == scalar_type::bfloat16) return decode_bfloat16(encode_bfloat16(value));
    if (t == scalar_type::float4_e2m1) return decode_float4_e2m1(encode_float4_e2m1(value));
    if (t == scalar_type::float8_e4m3) return decode_float8_e4m3(encode_float8_e4m3(value));
    if (t == scalar_type::float8_e5m2) return decode_float8_e5m2(encode_float8_e5m2(value));
    if (t != scalar_type::float32) return value;
    // Converting a double beyond float's range is undefined; this is what IEEE 754 says.
    if (std::fabs(value) >= 0x1.ffffffp127) return std::copysign(HUGE_VAL, value);
    return static_cast<double>(static_cast<float>(value));
}

/// Largest finite value of the floating type `t`.
[[nodiscard]] inline double largest_finite(scalar_type t) {
    if (t == scalar_type::float16) return 65504;
    if (t == scalar_type::bfloat16) return decode_bfloat16(0x7f7f);
    if (t == scalar_type::float4_e2m1) return 6;
    if (t == scalar_type::float8_e4m3) return 448;
    if (t == scalar_type::float8_e5m2) return 57344;
    if (t == scalar_type::float32) return static_cast<double>(std::numeric_limits<float>::max());
    return std::numeric_limits<double>::max();
}

/// As large as products and sums of a kernel bear.
[[nodiscard]] inline double large_value(scalar_type t) {
    if (t == scalar_type::float4_e2m1 || t == scalar_type::float8_e4m3) return 4;
    return t == scalar_type::float16 || t == scalar_type::float8_e5m2 ? 16 : 1e4;
}

/// Smallest and largest value of the integer type `t` (or bool), the upper one as unsigned bits.
struct integer_limits {
    std::int64_t low = 0;
    std::uint64_t high = 0;
};
[[nodiscard]] constexpr integer_limits limits_of(scalar_type t) {
    if (t == scalar_type::boolean) return {0, 1};
    if (t == scalar_type::int4) return {-8, 7};
    if (t == scalar_type::uint4) return {0, 15};
    bool const is_signed = t == scalar_type::int8 || t == scalar_type::int16 ||
                           t == scalar_type::int32 || t == scalar_type::int64;
    std::uint64_t const ones = ~std::uint64_t{0} >> (64 - 8 * size_of(t));
    if (!is_signed) return {0, ones};
    auto const high = static_cast<std::int64_t>(ones >> 1);
    return {-high - 1, ones >> 1};
}

/// Writes an integer, given as two's complement bits, into a lane of an integer type.
inline void store_integer(argument_data& data, std::size_t lane, std::uint64_t bits) {
    if (is_half_byte(data.type.scalar)) {
        unsigned const shift = lane % 2 == 0 ? 0 : 4;
        auto const kept = static_cast<unsigned>(data.bytes[lane / 2]) & (0xf0U >> shift);
        auto const half = static_cast<unsigned>(bits & 15) << shift;
        data.bytes[lane / 2] = static_cast<std::byte>(kept | half);
        return;
    }
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
    if (t == scalar_type::float4_e2m1) return store_integer(data, lane, encode_float4_e2m1(value));
    if (t == scalar_type::float16) return put(encode_float16(value));
    if (t == scalar_type::bfloat16) return put(encode_bfloat16(value));
    if (t == scalar_type::float8_e4m3) return put(encode_float8_e4m3(value));
    if (t == scalar_type::float8_e5m2) return put(encode_float8_e5m2(value));
    if (t == scalar_type::float32) return put(static_cast<float>(value));
    put(value);
}

/// The value of a type next to `v`, in the direction of `sign`.
[[nodiscard]] inline double neighbour(scalar_type t, double v, int sign) {
    double const far = sign * HUGE_VAL;
    if (t == scalar_type::float64) return std::nextafter(v, far);
    if (t == scalar_type::float32)
        return static_cast<double>(
            std::nextafter(static_cast<float>(rounded_to(t, v)), static_cast<float>(far)));
    if (!is_floating(t)) return v + sign;
    // The bits of a narrow float are a sign and a magnitude that grows with the number's.
    int const away = (v < 0) == (sign < 0) ? 1 : -1;
    if (t == scalar_type::float16)
        return decode_float16(static_cast<std::uint16_t>(encode_float16(v) + away));
    if (t == scalar_type::float4_e2m1)
        return decode_float4_e2m1(static_cast<std::uint8_t>(encode_float4_e2m1(v) + away));
    if (t == scalar_type::float8_e4m3)
        return decode_float8_e4m3(static_cast<std::uint8_t>(encode_float8_e4m3(v) + away));
    if (t == scalar_type::float8_e5m2)
        return decode_float8_e5m2(static_cast<std::uint8_t>(encode_float8_e5m2(v) + away));
    return decode_bfloat16(static_cast<std::uint16_t>(encode_bfloat16(v) + away));
}

/// Writes a number that the lane's type has.
inline void store_number(argument_data& data, std::size_t lane, double value) {
    if (is_floating(data.type.scalar)) return store_real(data, lane, value);
    store_integer(data,
                  lane,
                  value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                            : static_cast<std::uint64_t>(value));
}

/// Calls `f` with what turns a double into what a lane of the floating type `t` stores, rounded to
/// nearest.
template <class F>
auto with_real_stored(scalar_type t, F const& f) {
    if (t == scalar_type::float32) return f([](double v) { return static_cast<float>(v); });
    if (t == scalar_type::float16) return f([](double v) { return encode_float16(v); });
    if (t == scalar_type::bfloat16) return f([](double v) { return encode_bfloat16(v); });
    if (t == scalar_type::float8_e4m3) return f([](double v) { return encode_float8_e4m3(v); });
    if (t == scalar_type::float8_e5m2) return f([](double v) { return encode_float8_e5m2(v); });
    return f([](double v) { return v; });
}

/// The same for an integer type of whole bytes, whose values are given as two's complement bits.
template <class F>
auto with_integer_stored(scalar_type t, F const& f) {
    std::size_t const size = size_of(t);
    if (size == 1) return f([](std::uint64_t v) { return static_cast<std::uint8_t>(v); });
    if (size == 2) return f([](std::uint64_t v) { return static_cast<std::uint16_t>(v); });
    if (size == 4) return f([](std::uint64_t v) { return static_cast<std::uint32_t>(v); });
    return f([](std::uint64_t v) { return v; });
}

/// Calls `f` with what reads a lane of that type as a double: without a call for each lane for the
/// two types that large outputs of reals have.
template <class F>
auto with_reader(scalar_type t, F const& f) {
    if (t == scalar_type::float32)
        return f([](argument_data const& data, std::size_t lane) {
            return static_cast<double>(data.lane<float>(lane));
        });
    if (t == scalar_type::float64)
        return f(
            [](argument_data const& data, std::size_t lane) { return data.lane<double>(lane); });
    return f(
        [](argument_data const& data, std::size_t lane) { return lane_as_double(data, lane); });
}

} // namespace lkt::detail
