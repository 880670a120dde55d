// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <algorithm>
#include <cctype>
#include <vector>

namespace lkt {

std::string_view to_string(gemm_type type) {
    switch (type) {
    case gemm_type::f64:
        return "f64";
    case gemm_type::f32:
        return "f32";
    case gemm_type::tf32:
        return "tf32";
    case gemm_type::f16:
        return "f16";
    case gemm_type::bf16:
        return "bf16";
    case gemm_type::fp8:
        return "fp8";
    case gemm_type::int8:
        return "int8";
    case gemm_type::int4:
        return "int4";
    }
    return {};
}

namespace detail::scan {

struct type_alias {
    std::string_view name;
    gemm_type type;
};

inline constexpr type_alias type_aliases[] = {
    {"f64", gemm_type::f64},    {"f32", gemm_type::f32},    {"tf32", gemm_type::tf32},
    {"f16", gemm_type::f16},    {"bf16", gemm_type::bf16},  {"fp8", gemm_type::fp8},
    {"int8", gemm_type::int8},  {"int4", gemm_type::int4},  {"float64", gemm_type::f64},
    {"fp64", gemm_type::f64},   {"double", gemm_type::f64}, {"float32", gemm_type::f32},
    {"fp32", gemm_type::f32},   {"float", gemm_type::f32},  {"float16", gemm_type::f16},
    {"fp16", gemm_type::f16},   {"half", gemm_type::f16},   {"bfloat16", gemm_type::bf16},
    {"float8", gemm_type::fp8}, {"f8", gemm_type::fp8},     {"i8", gemm_type::int8},
    {"i4", gemm_type::int4}};

/// On one line: the numbers that a fault is about.
inline std::string numbers(gemm_draft const& d) {
    return std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k);
}

} // namespace detail::scan

result<gemm_type> gemm_type_called(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::vector<std::string_view> known;
    for (auto const& alias : detail::scan::type_aliases) {
        if (alias.name == lower) return alias.type;
        known.push_back(alias.name);
    }
    return error{condition::rejected,
                 "lkt.scan.type",
                 "there is no data type " + in_backticks(name) + did_you_mean(name, known),
                 "types: f64, f32, tf32, f16, bf16, fp8, int8, int4"};
}

result<gemm_epilogue> gemm_epilogue_called(std::string_view name) {
    std::string known;
    for (auto const& one : every_gemm_epilogue) {
        if (one.name == name) return one.epilogue;
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    return error{condition::rejected,
                 "lkt.scan.epilogue",
                 "there is no epilogue " + in_backticks(name) + did_you_mean(name, known),
                 "epilogues: " + known};
}

std::optional<arithmetic> arithmetic_of(gemm_type type) {
    switch (type) {
    case gemm_type::f64:
        return arithmetic::float64;
    case gemm_type::f32:
        return arithmetic::float32;
    case gemm_type::tf32:
        return arithmetic::tf32;
    case gemm_type::f16:
        return arithmetic::float16;
    case gemm_type::bf16:
        return arithmetic::bfloat16;
    case gemm_type::fp8:
        return arithmetic::float8;
    case gemm_type::int8:
        return arithmetic::int8;
    case gemm_type::int4:
        return std::nullopt;
    }
    return std::nullopt;
}

result<gemm_spec> gemm_spec::make(gemm_draft const& draft) {
    auto const reject = [&](std::string code, std::string why) {
        return error{condition::rejected,
                     "lkt.scan.gemm-" + std::move(code),
                     "the product " + detail::scan::numbers(draft) + " cannot be: " + why,
                     {}};
    };
    switch (detail::scan::fault_of(draft)) {
    case gemm_fault::none:
        return gemm_spec(draft);
    case gemm_fault::size:
        return reject("size", "M, N and K are at least 1, and at most 2147483647");
    case gemm_fault::batch:
        return reject("batch", "a batch has at least one matrix");
    case gemm_fault::stride:
        return reject("stride",
                      "a stride is at least the length of a row (row-major) or column, or 0");
    case gemm_fault::factor:
        return reject("factor", "alpha and beta are finite, and alpha is not 0");
    case gemm_fault::epilogue:
        return reject("epilogue", "there is no gelu of integers");
    case gemm_fault::large:
        return reject("large", "the matrices have more than 1e15 elements");
    }
    return gemm_spec(draft);
}

std::string to_string(gemm_spec const& s) {
    auto const letter = [](matrix_layout l) { return l == matrix_layout::row ? 'r' : 'c'; };
    std::string text = detail::scan::numbers({.m = s.m(), .n = s.n(), .k = s.k()}) + ' ' +
                       std::string(to_string(s.type())) + ' ';
    text += letter(s.a());
    text += letter(s.b());
    text += letter(s.c());
    if (s.output() != s.type()) text += " >" + std::string(to_string(s.output()));
    if (s.batch() != 1) text += " batch=" + std::to_string(s.batch());
    if (s.alpha() != 1) text += " alpha=" + real_text(s.alpha());
    if (s.beta() != 0) text += " beta=" + real_text(s.beta());
    if (s.epilogue() != gemm_epilogue::none)
        text += " epilogue=" + std::string(to_string(s.epilogue()));
    using detail::scan::tight;
    if (s.stride_a() != tight(s.m(), s.k(), s.a()) || s.stride_b() != tight(s.k(), s.n(), s.b()) ||
        s.stride_c() != tight(s.m(), s.n(), s.c()))
        text += " strides=" + std::to_string(s.stride_a()) + ',' + std::to_string(s.stride_b()) +
                ',' + std::to_string(s.stride_c());
    return text;
}

} // namespace lkt
