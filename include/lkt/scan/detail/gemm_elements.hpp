// SPDX-License-Identifier: BSL-1.0
// Elements of matrices in memory, as numbers.
#pragma once

#include <lkt/kernel/half.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lkt::detail::scan {

namespace check_parts {

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct random_bits {
    std::uint64_t state;
    std::uint64_t operator()() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// From 0 to below `end`.
    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(end));
    }
};

/// E4M3 (Micikevicius and others, FP8 formats for deep learning, 2022): one NaN for each sign, no
/// infinity.
inline double decode_e4m3(unsigned bits) {
    double const sign = (bits & 0x80) != 0 ? -1 : 1;
    unsigned const exponent = bits >> 3 & 15, fraction = bits & 7;
    if (exponent == 15 && fraction == 7) return std::nan("");
    return exponent == 0 ? sign * std::ldexp(fraction, -9)
                         : sign * std::ldexp(8 + fraction, static_cast<int>(exponent) - 10);
}

template <class T>
T read(std::byte const* data, std::size_t index) {
    T value;
    std::memcpy(&value, data + index * sizeof(T), sizeof(T));
    return value;
}

/// Each value of a type of 8 or 16 bits.
template <gemm_type Type>
std::vector<double> const& table_of() {
    static std::vector<double> const table = [] {
        std::vector<double> all(std::size_t{1} << bits_of(Type));
        for (std::size_t bits = 0; bits < all.size(); ++bits)
            if constexpr (Type == gemm_type::f16)
                all[bits] = decode_float16(static_cast<std::uint16_t>(bits));
            else if constexpr (Type == gemm_type::bf16)
                all[bits] = decode_bfloat16(static_cast<std::uint16_t>(bits));
            else
                all[bits] = decode_e4m3(static_cast<unsigned>(bits));
        return all;
    }();
    return table;
}

template <gemm_type Type>
[[nodiscard]] double element(std::byte const* data, std::size_t index) {
    if constexpr (Type == gemm_type::f64)
        return read<double>(data, index);
    else if constexpr (Type == gemm_type::f32 || Type == gemm_type::tf32)
        return static_cast<double>(read<float>(data, index));
    else if constexpr (Type == gemm_type::int8)
        return static_cast<double>(read<std::int8_t>(data, index));
    else if constexpr (Type == gemm_type::fp8)
        return table_of<Type>()[read<std::uint8_t>(data, index)];
    else
        return table_of<Type>()[read<std::uint16_t>(data, index)];
}

/// Calls `f` with the type as a template argument.
template <class F>
auto with_type(gemm_type type, F const& f) {
    switch (type) {
    case gemm_type::f64:
        return f.template operator()<gemm_type::f64>();
    case gemm_type::f32:
    case gemm_type::tf32:
        return f.template operator()<gemm_type::f32>();
    case gemm_type::f16:
        return f.template operator()<gemm_type::f16>();
    case gemm_type::bf16:
        return f.template operator()<gemm_type::bf16>();
    case gemm_type::fp8:
        return f.template operator()<gemm_type::fp8>();
    case gemm_type::int8:
    case gemm_type::int4:
        return f.template operator()<gemm_type::int8>();
    }
    return f.template operator()<gemm_type::f32>();
}

} // namespace check_parts

} // namespace lkt::detail::scan
