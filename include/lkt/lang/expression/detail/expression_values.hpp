// SPDX-License-Identifier: BSL-1.0
// What expressions compute with: 64-bit integers that do not wrap, reals, truth values and text.
#pragma once

#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace lkt::detail::lang {

using operand = parameter_value;

inline bool is_text(operand const& v) { return std::holds_alternative<std::string>(v); }
inline bool is_real(operand const& v) { return std::holds_alternative<double>(v); }

/// Of an integer or a truth value, which counts as 0 or 1.
inline std::int64_t whole(operand const& v) {
    auto const* b = std::get_if<bool>(&v);
    return b != nullptr ? std::int64_t{*b} : std::get<std::int64_t>(v);
}
inline double real(operand const& v) {
    return is_real(v) ? std::get<double>(v) : static_cast<double>(whole(v));
}
inline bool truth(operand const& v) {
    if (auto const* s = std::get_if<std::string>(&v)) return !s->empty();
    return is_real(v) ? std::get<double>(v) != 0 : whole(v) != 0;
}

/// -1, 0 or 1. Integers and reals meet in a type that holds both exactly (on x86-64).
inline int order(operand const& a, operand const& b) {
    if (!is_real(a) && !is_real(b)) return whole(a) < whole(b) ? -1 : whole(a) > whole(b) ? 1 : 0;
    auto const wide = [](operand const& v) {
        return is_real(v) ? static_cast<long double>(std::get<double>(v))
                          : static_cast<long double>(whole(v));
    };
    return wide(a) < wide(b) ? -1 : wide(a) > wide(b) ? 1 : 0;
}
inline bool same(operand const& a, operand const& b) {
    if (is_text(a) || is_text(b))
        return is_text(a) && is_text(b) && std::get<std::string>(a) == std::get<std::string>(b);
    return order(a, b) == 0;
}

/// What an operation left: a value, or why there is none.
struct computed {
    operand v;
    char const* why = nullptr;

    static computed no(char const* reason) { return {std::int64_t{0}, reason}; }
    static computed of(std::int64_t i) { return {i}; }
    static computed of(double d) {
        return d - d == 0 ? computed{d} : no("the result is beyond the range of a double");
    }
};

inline constexpr char const* overflows = "the result does not fit 64 bits";
inline constexpr char const* by_zero = "division by zero";

inline computed floor_divide(std::int64_t a, std::int64_t b) {
    if (b == 0) return computed::no(by_zero);
    if (b == -1) {
        std::int64_t negated = 0;
        return __builtin_sub_overflow(std::int64_t{0}, a, &negated) ? computed::no(overflows)
                                                                    : computed::of(negated);
    }
    return computed::of(a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
}
inline computed floor_modulo(std::int64_t a, std::int64_t b) {
    if (b == 0) return computed::no(by_zero);
    if (b == -1) return computed::of(std::int64_t{0});
    std::int64_t const rest = a % b;
    return computed::of(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
inline computed power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
        if (base == 0) return computed::no(by_zero);
        return computed::of(
            __builtin_pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
    std::int64_t product = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(product, base, &product))
            return computed::no(overflows);
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            return computed::no(overflows);
    }
    return computed::of(product);
}

inline computed to_whole(double d) {
    if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) return computed::no(overflows);
    return computed::of(static_cast<std::int64_t>(d));
}

} // namespace lkt::detail::lang
