// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// The arithmetic types that kernel arguments are made of.
enum class scalar_type : unsigned char {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    int4,        ///< only packed: two in a byte, the lower bits first
    uint4,       ///< the same
    float4_e2m1, ///< the same; 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives: `__nv_fp4_e2m1`
    float8_e4m3, ///< without infinities, up to 448: `__nv_fp8_e4m3`
    float8_e5m2, ///< `__nv_fp8_e5m2`
    float16,
    bfloat16,
    float32,
    float64,
};

/// Whether two of them share a byte.
[[nodiscard]] constexpr bool is_half_byte(scalar_type t) {
    return t == scalar_type::int4 || t == scalar_type::uint4 || t == scalar_type::float4_e2m1;
}

/// Bytes of one scalar, at least one.
[[nodiscard]] constexpr std::size_t size_of(scalar_type t) {
    switch (t) {
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        return 1;
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::float16:
    case scalar_type::bfloat16:
        return 2;
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::float32:
        return 4;
    case scalar_type::int64:
    case scalar_type::uint64:
    case scalar_type::float64:
        return 8;
    }
    return 0;
}

/// Floats of 8 bits.
[[nodiscard]] constexpr bool is_float8(scalar_type t) {
    return t == scalar_type::float8_e4m3 || t == scalar_type::float8_e5m2;
}

[[nodiscard]] constexpr bool is_floating(scalar_type t) {
    return t == scalar_type::float4_e2m1 || is_float8(t) || t == scalar_type::float16 ||
           t == scalar_type::bfloat16 || t == scalar_type::float32 || t == scalar_type::float64;
}

/// `int32`, `float64`, ...: the names that problem files use, as NumPy and torch spell them.
[[nodiscard]] constexpr std::string_view to_string(scalar_type t) {
    switch (t) {
    case scalar_type::boolean:
        return "bool";
    case scalar_type::int8:
        return "int8";
    case scalar_type::uint8:
        return "uint8";
    case scalar_type::int16:
        return "int16";
    case scalar_type::uint16:
        return "uint16";
    case scalar_type::int32:
        return "int32";
    case scalar_type::uint32:
        return "uint32";
    case scalar_type::int64:
        return "int64";
    case scalar_type::uint64:
        return "uint64";
    case scalar_type::int4:
        return "int4";
    case scalar_type::uint4:
        return "uint4";
    case scalar_type::float4_e2m1:
        return "float4_e2m1fn";
    case scalar_type::float8_e4m3:
        return "float8_e4m3fn";
    case scalar_type::float8_e5m2:
        return "float8_e5m2";
    case scalar_type::float16:
        return "float16";
    case scalar_type::bfloat16:
        return "bfloat16";
    case scalar_type::float32:
        return "float32";
    case scalar_type::float64:
        return "float64";
    }
    return "unknown";
}

/// A scalar or a short vector of scalars (`float4` is `{float32, 4}`). Vectors are packed: three
/// floats take 12 bytes, as in CUDA and HIP.
struct value_type {
    scalar_type scalar = scalar_type::float32;
    unsigned lanes = 1; ///< 1 to 4; of half bytes 2, 4 or 8

    [[nodiscard]] constexpr std::size_t bytes() const {
        return is_half_byte(scalar) ? (lanes + 1) / 2 : size_of(scalar) * lanes;
    }
    friend constexpr bool operator==(value_type, value_type) = default;
};

[[nodiscard]] std::string to_string(value_type t);

/// Whether bytes of one type can be those of the other: the same type; or integers of which one
/// kernel makes floats of 8 bits or half bytes itself.
[[nodiscard]] bool same_bytes(value_type a, value_type b);

} // namespace lkt
