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
    float16,
    bfloat16,
    float32,
    float64,
};

/// Bytes of one scalar.
[[nodiscard]] constexpr std::size_t size_of(scalar_type t) {
    switch (t) {
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
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

[[nodiscard]] constexpr bool is_floating(scalar_type t) {
    return t == scalar_type::float16 || t == scalar_type::bfloat16 || t == scalar_type::float32 ||
           t == scalar_type::float64;
}

/// `int32`, `float64`, ...: the names that problem files use, as NumPy spells them.
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
    unsigned lanes = 1; ///< 1 to 4

    [[nodiscard]] constexpr std::size_t bytes() const { return size_of(scalar) * lanes; }
    friend constexpr bool operator==(value_type, value_type) = default;
};

[[nodiscard]] std::string to_string(value_type t);

} // namespace lkt
