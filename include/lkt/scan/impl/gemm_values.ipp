// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/half.hpp>
#include <lkt/scan/detail/gemm_elements.hpp>
#include <lkt/scan/detail/gemm_values.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace lkt::detail::scan {

matrix_place place_a(gemm_spec const& s) { return {s.m(), s.k(), s.stride_a(), s.batch(), s.a()}; }
matrix_place place_b(gemm_spec const& s) { return {s.k(), s.n(), s.stride_b(), s.batch(), s.b()}; }
matrix_place place_c(gemm_spec const& s) { return {s.m(), s.n(), s.stride_c(), s.batch(), s.c()}; }

namespace check_parts {

/// -8/8, -7/8, ... 8/8 in E4M3.
inline std::array<std::uint8_t, 17> const& eighths() {
    static std::array<std::uint8_t, 17> const all = [] {
        std::array<std::uint8_t, 17> found{};
        auto const& table = table_of<gemm_type::fp8>();
        for (std::size_t i = 0; i < found.size(); ++i)
            found[i] = static_cast<std::uint8_t>(
                std::find(table.begin(), table.end(), static_cast<double>(i) / 8 - 1) -
                table.begin());
        return found;
    }();
    return all;
}

} // namespace check_parts

double element_of(gemm_type type, std::byte const* data, std::size_t index) {
    return check_parts::with_type(
        type, [&]<gemm_type T>() { return check_parts::element<T>(data, index); });
}

gemm_values::gemm_values(gemm_type type, std::uint64_t seed) {
    check_parts::random_bits random{seed};
    std::size_t const size = bits_of(type) / 8;
    bytes_.resize(period * size);
    values_.resize(period);
    for (std::size_t i = 0; i < period; ++i) {
        auto const put = [&](auto number) { std::memcpy(&bytes_[i * size], &number, size); };
        // As many digits as the type has, so that each number is one of its numbers.
        auto const even = [&](int digits) {
            std::int64_t const end = std::int64_t{1} << digits;
            return std::ldexp(static_cast<double>(random.below(2 * end + 1) - end), -digits);
        };
        switch (type) {
        case gemm_type::f64:
            put(values_[i] = even(52));
            break;
        case gemm_type::f32:
        case gemm_type::tf32:
            values_[i] = even(23);
            put(static_cast<float>(values_[i]));
            break;
        case gemm_type::f16:
            values_[i] = even(10);
            put(encode_float16(values_[i]));
            break;
        case gemm_type::bf16:
            values_[i] = even(7);
            put(encode_bfloat16(values_[i]));
            break;
        case gemm_type::fp8:
            values_[i] = even(3);
            put(check_parts::eighths()[static_cast<std::size_t>(values_[i] * 8 + 8)]);
            break;
        case gemm_type::int8:
        case gemm_type::int4:
            values_[i] = static_cast<double>(random.below(11) - 5);
            put(static_cast<std::int8_t>(values_[i]));
            break;
        }
        mean_square_ += values_[i] * values_[i];
    }
    mean_square_ /= static_cast<double>(period);
}

std::string gemm_values::filled(std::size_t size) const {
    std::string text;
    text.reserve(size);
    while (text.size() < size) text.append(bytes_, 0, std::min(bytes_.size(), size - text.size()));
    return text;
}

} // namespace lkt::detail::scan
