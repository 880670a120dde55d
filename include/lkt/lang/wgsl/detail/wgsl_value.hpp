// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::lang {

/// WGSL's scalars; literals and what follows from them alone are abstract.
enum class wgsl_scalar : unsigned char {
    boolean,
    abstract_int,
    abstract_float,
    i32,
    u32,
    f16,
    f32
};

inline std::string_view to_string(wgsl_scalar t) {
    static constexpr std::string_view names[] = {
        "bool", "an abstract integer", "an abstract float", "i32", "u32", "f16", "f32"};
    return names[static_cast<std::size_t>(t)];
}
inline bool is_integer(wgsl_scalar t) {
    return t == wgsl_scalar::abstract_int || t == wgsl_scalar::i32 || t == wgsl_scalar::u32;
}
inline bool is_real(wgsl_scalar t) {
    return t == wgsl_scalar::abstract_float || t == wgsl_scalar::f16 || t == wgsl_scalar::f32;
}
inline scalar_type scalar_of(wgsl_scalar t) {
    switch (t) {
    case wgsl_scalar::boolean:
        return scalar_type::boolean;
    case wgsl_scalar::abstract_int:
    case wgsl_scalar::i32:
        return scalar_type::int32;
    case wgsl_scalar::u32:
        return scalar_type::uint32;
    case wgsl_scalar::f16:
        return scalar_type::float16;
    case wgsl_scalar::abstract_float:
    case wgsl_scalar::f32:
        break;
    }
    return scalar_type::float32;
}

/// What an expression comes to: a number, or a formula over overrides in lkt's spelling.
struct wgsl_value {
    wgsl_scalar type = wgsl_scalar::abstract_int;
    parameter_value number = std::int64_t{0}; ///< integer, double or bool, as `type` says
    std::string formula{};                    ///< in its place, where overrides are involved

    [[nodiscard]] bool fixed() const { return formula.empty(); }
    [[nodiscard]] std::string text() const {
        if (!fixed()) return formula;
        std::string const written = value_text(number);
        return written.starts_with('-') ? "(" + written + ")" : written;
    }
    [[nodiscard]] std::int64_t whole() const { return std::get<std::int64_t>(number); }
    [[nodiscard]] double real() const {
        auto const* i = std::get_if<std::int64_t>(&number);
        return i != nullptr ? static_cast<double>(*i) : std::get<double>(number);
    }
    [[nodiscard]] bool truth() const { return std::get<bool>(number); }
};

/// A value, or why there is none.
struct wgsl_computed {
    wgsl_value v{};
    std::string why{};

    static wgsl_computed no(std::string reason) { return {{}, std::move(reason)}; }
};

/// `v` as a value of type `to`, as far as WGSL converts by itself: abstract ones to concrete ones.
inline wgsl_computed wgsl_converted(wgsl_value v, wgsl_scalar to) {
    if (v.type == to) return {std::move(v)};
    bool const from_int = v.type == wgsl_scalar::abstract_int;
    bool const fits = (from_int && to != wgsl_scalar::boolean) ||
                      (v.type == wgsl_scalar::abstract_float && is_real(to));
    if (!fits)
        return wgsl_computed::no("expected " + std::string(to_string(to)) +
                                 ", found a value of type " + std::string(to_string(v.type)) + "");
    v.type = to;
    if (from_int && is_real(to)) v.number = v.real();
    return {std::move(v)};
}

/// Whether the number is one of its type, which WGSL demands of constants.
inline wgsl_computed wgsl_checked(wgsl_value v) {
    std::string const name(to_string(v.type));
    if (!v.fixed()) return {std::move(v)};
    auto const* i = std::get_if<std::int64_t>(&v.number);
    if (v.type == wgsl_scalar::i32 && (*i < -2147483648LL || *i > 2147483647))
        return wgsl_computed::no(std::to_string(*i) + " does not fit " + name);
    if (v.type == wgsl_scalar::u32 && (*i < 0 || *i > 4294967295LL))
        return wgsl_computed::no(std::to_string(*i) + " does not fit " + name);
    if (!is_real(v.type)) return {std::move(v)};
    double const most = v.type == wgsl_scalar::f16   ? 65504.0
                        : v.type == wgsl_scalar::f32 ? 3.4028234663852886e38
                                                     : std::numeric_limits<double>::max();
    if (!(std::fabs(v.real()) <= most)) return wgsl_computed::no("the result does not fit " + name);
    if (v.type == wgsl_scalar::f32) v.number = static_cast<double>(static_cast<float>(v.real()));
    return {std::move(v)};
}

inline wgsl_value wgsl_boolean(bool b) { return {wgsl_scalar::boolean, b}; }

/// Brings two operands to one type; the reason why not where there is none.
inline std::string wgsl_unify(wgsl_value& a, wgsl_value& b) {
    auto const rank = [](wgsl_scalar t) {
        return t == wgsl_scalar::abstract_int ? 0 : t == wgsl_scalar::abstract_float ? 1 : 2;
    };
    bool const first = rank(a.type) < rank(b.type);
    wgsl_computed c = first ? wgsl_converted(a, b.type) : wgsl_converted(b, a.type);
    if (!c.why.empty()) return c.why;
    (first ? a : b) = std::move(c.v);
    return {};
}

/// `bits` of a u32 as a value of a concrete type: what is too large wraps around.
inline wgsl_value wgsl_wrapped(wgsl_scalar type, std::uint32_t bits) {
    return {type,
            type == wgsl_scalar::u32 ? std::int64_t{bits}
                                     : std::int64_t{static_cast<std::int32_t>(bits)}};
}

inline wgsl_computed
wgsl_integers(std::string_view what, wgsl_value const& x, wgsl_value const& y) {
    std::int64_t const a = x.whole(), b = y.whole();
    bool const abstract = x.type == wgsl_scalar::abstract_int;
    auto const one = static_cast<std::uint32_t>(a), other = static_cast<std::uint32_t>(b);
    std::int64_t n = 0;
    bool too_large = false;
    if (what == "/" || what == "%") {
        if (b == 0) return wgsl_computed::no("division by zero");
        too_large = b == -1 && a == std::numeric_limits<std::int64_t>::min();
        if (!too_large) n = what == "/" ? a / b : a % b;
    } else if (what == "&" || what == "|" || what == "^") {
        n = what == "&" ? a & b : what == "|" ? a | b : a ^ b;
    } else if (what == "<<" || what == ">>") {
        if (b < 0 || b >= (abstract ? 64 : 32))
            return wgsl_computed::no("a shift by " + std::to_string(b) + " bits");
        if (what == "<<" && !abstract) return {wgsl_wrapped(x.type, one << other)};
        if (what == ">>")
            n = a >> b;
        else
            too_large = b == 63 ? a != 0 : __builtin_mul_overflow(a, std::int64_t{1} << b, &n);
    } else if (!abstract) {
        return {wgsl_wrapped(x.type,
                             what == "+"   ? one + other
                             : what == "-" ? one - other
                                           : one * other)};
    } else {
        too_large = what == "+"   ? __builtin_add_overflow(a, b, &n)
                    : what == "-" ? __builtin_sub_overflow(a, b, &n)
                                  : __builtin_mul_overflow(a, b, &n);
    }
    if (too_large) return wgsl_computed::no("the result does not fit 64 bits");
    return wgsl_checked({x.type, n});
}

inline wgsl_computed
wgsl_compared(std::string_view what, wgsl_value const& x, wgsl_value const& y) {
    int order = 0;
    if (x.type == wgsl_scalar::boolean) {
        if (what != "==" && what != "!=") return wgsl_computed::no("truth values have no order");
        order = x.truth() == y.truth() ? 0 : 1;
    } else if (is_integer(x.type)) {
        order = x.whole() < y.whole() ? -1 : x.whole() > y.whole() ? 1 : 0;
    } else {
        order = x.real() < y.real() ? -1 : x.real() > y.real() ? 1 : 0;
    }
    return {wgsl_boolean(what == "=="   ? order == 0
                         : what == "!=" ? order != 0
                         : what == "<"  ? order < 0
                         : what == "<=" ? order <= 0
                         : what == ">"  ? order > 0
                                        : order >= 0)};
}

/// The formula of an operation on at least one override.
inline wgsl_computed wgsl_formula(std::string_view what, wgsl_value const& x, wgsl_value const& y) {
    wgsl_value v{x.type};
    std::string const a = x.text(), b = y.text();
    bool const compares =
        what == "==" || what == "!=" || what == "<" || what == "<=" || what == ">" || what == ">=";
    if (what == "&&" || what == "||") {
        v.formula = "(" + a + (what == "&&" ? " and " : " or ") + b + ")";
    } else if (compares) {
        v.type = wgsl_scalar::boolean;
        v.formula = "(" + a + " " + std::string(what) + " " + b + ")";
    } else if (what == "<<" || what == ">>") {
        v.formula = "(" + a + (what == "<<" ? " * 2 ** " : " // 2 ** ") + b + ")";
    } else if (what == "/" && is_integer(x.type)) {
        // WGSL rounds towards zero, lkt's // down: the same unless there is a sign.
        v.formula =
            x.type == wgsl_scalar::u32 ? "(" + a + " // " + b + ")" : "int(" + a + " / " + b + ")";
    } else if (what == "%" && x.type != wgsl_scalar::u32) {
        v.formula = "(" + a + " - int(" + a + " / " + b + ") * " + b + ")";
    } else if (what == "-" && x.type == wgsl_scalar::u32) {
        v.formula = "((" + a + " - " + b + ") % 4294967296)"; // wraps around below zero
    } else if (what == "&" || what == "|" || what == "^") {
        return wgsl_computed::no("lkt does not evaluate bit operations on overrides");
    } else {
        v.formula = "(" + a + " " + std::string(what) + " " + b + ")";
    }
    if (v.formula.size() > 4096) return wgsl_computed::no("the formula is too long");
    return {std::move(v)};
}

inline wgsl_computed wgsl_binary(std::string_view what, wgsl_value x, wgsl_value y) {
    bool const shifts = what == "<<" || what == ">>";
    if (shifts) {
        if (!is_integer(x.type) ||
            (y.type != wgsl_scalar::u32 && y.type != wgsl_scalar::abstract_int))
            return wgsl_computed::no("only integers can be shifted, and only by a u32");
    } else if (std::string why = wgsl_unify(x, y); !why.empty()) {
        return wgsl_computed::no(std::move(why));
    }
    bool const truths = x.type == wgsl_scalar::boolean;
    bool const logic = what == "&&" || what == "||",
               bits = what == "&" || what == "|" || what == "^";
    bool const compares =
        what == "==" || what == "!=" || what == "<" || what == "<=" || what == ">" || what == ">=";
    if (logic != truths && !compares && !(bits && truths))
        return wgsl_computed::no("`" + std::string(what) + "` does not apply to " +
                                 std::string(to_string(x.type)));
    if (!x.fixed() || !y.fixed()) return wgsl_formula(what, x, y);
    if (compares) return wgsl_compared(what, x, y);
    if (truths) {
        bool const a = x.truth(), b = y.truth();
        return {wgsl_boolean(what == "&&" || what == "&" ? a && b : what == "^" ? a != b : a || b)};
    }
    if (is_integer(x.type)) return wgsl_integers(what, x, y);
    if (bits) return wgsl_computed::no("`" + std::string(what) + "` does not apply to floats");
    double const a = x.real(), b = y.real();
    if (b == 0 && (what == "/" || what == "%")) return wgsl_computed::no("division by zero");
    return wgsl_checked({x.type,
                         what == "+"   ? a + b
                         : what == "-" ? a - b
                         : what == "*" ? a * b
                         : what == "/" ? a / b
                                       : std::fmod(a, b)});
}

inline wgsl_computed wgsl_unary(char what, wgsl_value v) {
    std::string const type(to_string(v.type));
    bool const fits = what == '!'   ? v.type == wgsl_scalar::boolean
                      : what == '~' ? is_integer(v.type)
                                    : v.type != wgsl_scalar::boolean && v.type != wgsl_scalar::u32;
    if (!fits) return wgsl_computed::no(std::string("`") + what + "` does not apply to " + type);
    if (!v.fixed()) {
        if (what == '~')
            return wgsl_computed::no("lkt does not evaluate bit operations on overrides");
        v.formula = (what == '!' ? "(not " : "(-") + v.formula + ")";
        return {std::move(v)};
    }
    if (what == '!') return {wgsl_boolean(!v.truth())};
    if (is_real(v.type)) return {{v.type, -v.real()}};
    if (what == '~')
        return {{v.type, v.type == wgsl_scalar::u32 ? 4294967295LL - v.whole() : ~v.whole()}};
    if (v.whole() == std::numeric_limits<std::int64_t>::min())
        return wgsl_computed::no("the result does not fit 64 bits");
    return wgsl_checked({v.type, -v.whole()});
}

/// `u32(v)` and its like.
inline wgsl_computed wgsl_cast(wgsl_scalar to, wgsl_value v) {
    if (v.type == to) return {std::move(v)};
    wgsl_scalar const from = v.type;
    if (!v.fixed()) {
        wgsl_value w{to};
        if (to == wgsl_scalar::boolean)
            w.formula = "(" + v.formula + " != 0)";
        else if (from == wgsl_scalar::boolean)
            w.formula = "(1 if " + v.formula + " else 0)";
        else if (is_integer(to))
            w.formula = is_integer(from) ? v.formula : "int(" + v.formula + ")";
        else
            w.formula = is_integer(from) ? "float(" + v.formula + ")" : v.formula;
        return {std::move(w)};
    }
    if (from == wgsl_scalar::boolean) {
        if (is_integer(to)) return {{to, std::int64_t{v.truth()}}};
        return {{to, v.truth() ? 1.0 : 0.0}};
    }
    if (to == wgsl_scalar::boolean) return {wgsl_boolean(v.real() != 0)};
    if (is_real(to)) return wgsl_checked({to, v.real()});
    if (is_integer(from)) {
        if (from == wgsl_scalar::abstract_int) return wgsl_checked({to, v.whole()});
        return {wgsl_wrapped(to, static_cast<std::uint32_t>(v.whole()))};
    }
    // Floats are cut off, and saturate.
    double const low = to == wgsl_scalar::u32 ? 0 : -2147483648.0;
    double const high = to == wgsl_scalar::u32 ? 4294967295.0 : 2147483647.0;
    double const cut = std::trunc(v.real());
    return {{to, static_cast<std::int64_t>(cut < low ? low : cut > high ? high : cut)}};
}

} // namespace lkt::detail::lang
