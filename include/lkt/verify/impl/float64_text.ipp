// SPDX-License-Identifier: BSL-1.0
// The original's text in float64.
#pragma once

#include <lkt/verify/exact.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/verify/detail/float64_factor.hpp>
#include <lkt/verify/detail/float8_truth.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

namespace detail::float64 {

using word = std::string_view;
using word_pair = std::pair<word, word>;

// What intrinsics become that have no name in float64.
constexpr word prelude =
    "static __device__ double float64_add(double a, double b) { return a + b; }\n"
    "static __device__ double float64_sub(double a, double b) { return a - b; }\n"
    "static __device__ double float64_mul(double a, double b) { return a * b; }\n"
    "static __device__ double float64_div(double a, double b) { return a / b; }\n"
    "static __device__ double float64_rcp(double a) { return 1 / a; }\n"
    "static __device__ double float64_neg(double a) { return -a; }\n"
    "static __device__ bool float64_lt(double a, double b) { return a < b; }\n"
    "static __device__ bool float64_gt(double a, double b) { return a > b; }\n"
    "static __device__ bool float64_le(double a, double b) { return a <= b; }\n"
    "static __device__ bool float64_ge(double a, double b) { return a >= b; }\n"
    "static __device__ bool float64_eq(double a, double b) { return a == b; }\n"
    "static __device__ bool float64_ne(double a, double b) { return a != b; }\n";

constexpr word_pair words[] = {
    {"float", "double"},
    {"float1", "double1"},
    {"float2", "double2"},
    {"float3", "double3"},
    {"float4", "double4"},
    {"make_float1", "make_double1"},
    {"make_float2", "make_double2"},
    {"make_float3", "make_double3"},
    {"make_float4", "make_double4"},
    {"half", "double"},
    {"__half", "double"},
    {"__nv_bfloat16", "double"},
    {"nv_bfloat16", "double"},
    {"__nv_fp8_e4m3", "double"},
    {"__nv_fp8_e5m2", "double"},
    {"__half2float", "double"},
    {"__float2half", "double"},
    {"__float2half_rn", "double"},
    {"__bfloat162float", "double"},
    {"__float2bfloat16", "double"},
    {"__float2bfloat16_rn", "double"},
    {"__hadd", "float64_add"},
    {"__hsub", "float64_sub"},
    {"__hmul", "float64_mul"},
    {"__hdiv", "float64_div"},
    {"__hneg", "float64_neg"},
    {"__hfma", "fma"},
    {"__habs", "fabs"},
    {"__hmax", "fmax"},
    {"__hmin", "fmin"},
    {"__hlt", "float64_lt"},
    {"__hgt", "float64_gt"},
    {"__hle", "float64_le"},
    {"__hge", "float64_ge"},
    {"__heq", "float64_eq"},
    {"__hne", "float64_ne"},
    {"hexp", "exp"},
    {"hlog", "log"},
    {"hsqrt", "sqrt"},
    {"hrsqrt", "rsqrt"},
    {"__expf", "exp"},
    {"__exp10f", "exp10"},
    {"__logf", "log"},
    {"__log2f", "log2"},
    {"__log10f", "log10"},
    {"__sinf", "sin"},
    {"__cosf", "cos"},
    {"__tanf", "tan"},
    {"__powf", "pow"},
    {"__sincosf", "sincos"},
    {"__fsqrt_rn", "sqrt"},
    {"__fmaf_rn", "fma"},
    {"__fadd_rn", "float64_add"},
    {"__fsub_rn", "float64_sub"},
    {"__fmul_rn", "float64_mul"},
    {"__fdiv_rn", "float64_div"},
    {"__fdividef", "float64_div"},
    {"__frcp_rn", "float64_rcp"},
};
/// Functions whose float32 name has an f at its end.
constexpr word functions[] = {
    "exp",  "exp2",  "exp10",     "expm1", "log",   "log2",    "log10", "log1p", "sin",
    "cos",  "tan",   "asin",      "acos",  "atan",  "atan2",   "sinh",  "cosh",  "tanh",
    "sqrt", "rsqrt", "cbrt",      "pow",   "fabs",  "fmax",    "fmin",  "fma",   "floor",
    "ceil", "round", "trunc",     "rint",  "fmod",  "hypot",   "erf",   "erfc",  "sincos",
    "fdim", "asinh", "nearbyint", "acosh", "atanh", "copysign"};
/// Words after which nothing is certain: bits of numbers, packed halves, assembly.
constexpr word hopeless[] = {
    "reinterpret_cast", "union",          "asm",     "__asm__",         "__asm",
    "memcpy",           "__float_as_int", "nvcuda",  "__float_as_uint", "__int_as_float",
    "__uint_as_float",  "half2",          "__half2", "__nv_bfloat162",  "nv_bfloat162",
    "atomicCAS",        "bit_cast",       "wmma",    "FLT_EPSILON",     "numeric_limits"};
constexpr word integers[] = {"int",
                             "unsigned",
                             "uint",
                             "char",
                             "short",
                             "long",
                             "uint32_t",
                             "int32_t",
                             "uint4",
                             "int4",
                             "uint2",
                             "int2",
                             "void"};

template <std::size_t N>
bool among(word const (&list)[N], word what) {
    return std::find(std::begin(list), std::end(list), what) != std::end(list);
}

/// What numbers become.
std::string_view type_of(float64_numbers how) {
    return how == float64_numbers::plain ? "double" : "float64_factor";
}
std::string replaced(word identifier, float64_numbers how) {
    if (identifier == "double")
        return std::string(how == float64_numbers::factors ? type_of(how) : "double");
    for (auto const& [narrow, wide] : words)
        if (narrow == identifier) return std::string(wide == "double" ? type_of(how) : wide);
    if (identifier.ends_with('f') && among(functions, identifier.substr(0, identifier.size() - 1)))
        return std::string(identifier.substr(0, identifier.size() - 1));
    return std::string(identifier);
}
/// Of the narrow types' own functions, one that has no name in float64: it would round.
bool rounds(word identifier) {
    for (word const beginning : {"__h",
                                 "__float2half",
                                 "__float2bfloat",
                                 "__bfloat",
                                 "__nv_bfloat",
                                 "__nv_fp4",
                                 "__nv_fp8",
                                 "__nv_cvt",
                                 "__double2half",
                                 "__double2bfloat",
                                 "__int2half",
                                 "__int2bfloat"})
        if (identifier.starts_with(beginning)) return identifier != "__host__";
    return false;
}
/// `1.5f` without its suffix; `0x1f` is no fraction.
std::string literal(word number, float64_numbers how) {
    bool const suffixed = number.ends_with('f') || number.ends_with('F');
    bool const hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    bool const whole = number.find_first_of(hexadecimal ? "pP" : ".eE") == number.npos;
    if (whole && (!suffixed || hexadecimal)) return std::string(number);
    std::string wide(number.substr(0, number.size() - (suffixed ? 1 : 0)));
    bool const factor =
        how == float64_numbers::factors || (how == float64_numbers::rounded && suffixed);
    return factor ? "float64_factor(" + wide + ")" : wide;
}

/// `(int*)`: other types than the array's are read from its bytes.
bool casts_pointer(std::vector<token> const& tokens, std::size_t open) {
    return open + 3 < tokens.size() && tokens[open].is("(") &&
           among(integers, tokens[open + 1].text) && tokens[open + 2].is("*") &&
           tokens[open + 3].is(")");
}

std::optional<std::string> substituted(word text, float64_numbers how) {
    auto const tokens = tokenize(text);
    if (!tokens) return std::nullopt;
    std::string out;
    std::size_t from = 0;
    for (std::size_t k = 0; k < tokens->size(); ++k) {
        token const& t = (*tokens)[k];
        if (t.kind == token_kind::identifier && among(hopeless, t.text)) return std::nullopt;
        if (casts_pointer(*tokens, k)) return std::nullopt;
        std::string const now = t.kind == token_kind::identifier ? replaced(t.text, how)
                                : t.kind == token_kind::number   ? literal(t.text, how)
                                                                 : t.text;
        if (now == t.text && t.kind == token_kind::identifier && rounds(t.text))
            return std::nullopt;
        if (now == t.text) continue; // as it is written, splices and all
        out += text.substr(from, t.begin - from);
        out += now;
        from = t.end;
    }
    out += text.substr(from);
    return out;
}

/// What comes before the text.
std::string beginning(float64_numbers how) {
    if (how == float64_numbers::plain) return std::string(prelude);
    std::string text(how == float64_numbers::rounded ? "constexpr bool float64_rounds = true;"
                                                     : "constexpr bool float64_rounds = false;");
    text += factor_type;
    for (factor_function const& f : factor_functions) {
        bool const two = f.numbers == 2;
        std::string const name(f.name), types = two ? "A, B" : "A, A";
        std::string const call =
            "::" + name + "(float64_exact(a)" + (two ? ", float64_exact(b))" : ")");
        text += std::string(two ? "template <class A, class B>" : "template <class A>") +
                " __device__ inline float64_of<" + types + ", float64_factor> " + name +
                (two ? "(A a, B b) { return " : "(A a) { return ") +
                (f.exact ? call : "float64_result<" + types + ">(" + call + ")") + "; }\n";
    }
    return text + substituted(prelude, float64_numbers::factors).value_or("");
}

} // namespace detail::float64

std::optional<std::string> in_float64(std::string_view text, float64_numbers how) {
    auto made = detail::float64::substituted(text, how);
    if (made) made->insert(0, detail::float64::beginning(how));
    return made;
}

std::optional<problem> float64_version(problem const& task, float64_numbers how) {
    using namespace detail::float64;
    if (task.reference.language == language::wgsl) return std::nullopt;
    auto text = in_float64(task.reference.text, how);
    auto name = substituted(task.signature.name, how);
    if (!text || !name) return std::nullopt;
    problem made = task;
    made.reference.text = std::move(*text);
    made.signature.name = std::move(*name);
    bool any = false;
    for (std::size_t k = 0; k < made.signature.arguments.size(); ++k) {
        argument& a = made.signature.arguments[k];
        if (a.within) return std::nullopt; // its offset in the struct would be another
        auto spelling = substituted(a.spelling, how);
        if (!spelling) return std::nullopt;
        a.spelling = std::move(*spelling);
        if (!narrow(a.type.scalar) || is_half_byte(a.type.scalar)) continue;
        any = true;
        // What the text calls a byte stays one there.
        if (is_float8(a.type.scalar) && !names_float8(a, task)) return std::nullopt;
        a.type.scalar = scalar_type::float64;
    }
    if (!any) return std::nullopt;
    return made;
}

} // namespace lkt
