// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/exact.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/float8_truth.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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

std::string replaced(word identifier) {
    for (auto const& [narrow, wide] : words)
        if (narrow == identifier) return std::string(wide);
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
std::string literal(word number) {
    bool const suffixed = number.ends_with('f') || number.ends_with('F');
    bool const hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    if (!suffixed || (hexadecimal && number.find_first_of("pP") == number.npos))
        return std::string(number);
    return std::string(number.substr(0, number.size() - 1));
}

/// `(int*)`: other types than the array's are read from its bytes.
bool casts_pointer(std::vector<token> const& tokens, std::size_t open) {
    return open + 3 < tokens.size() && tokens[open].is("(") &&
           among(integers, tokens[open + 1].text) && tokens[open + 2].is("*") &&
           tokens[open + 3].is(")");
}

std::optional<std::string> substituted(word text) {
    auto const tokens = tokenize(text);
    if (!tokens) return std::nullopt;
    std::string out;
    std::size_t from = 0;
    for (std::size_t k = 0; k < tokens->size(); ++k) {
        token const& t = (*tokens)[k];
        if (t.kind == token_kind::identifier && among(hopeless, t.text)) return std::nullopt;
        if (casts_pointer(*tokens, k)) return std::nullopt;
        std::string const now = t.kind == token_kind::identifier ? replaced(t.text)
                                : t.kind == token_kind::number   ? literal(t.text)
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

bool narrow(scalar_type t) { return is_floating(t) && t != scalar_type::float64; }

/// How many times each default bound an output's own errors ask for; 1 at least.
struct widening {
    double element = 1, rms = 1, bias = 1;
};

std::size_t bytes_of(test_case const& test) {
    std::size_t sum = 0;
    for (argument_data const& a : test.arguments) sum += a.bytes.size();
    return sum;
}

} // namespace detail::float64

std::optional<std::string> in_float64(std::string_view text) {
    auto made = detail::float64::substituted(text);
    if (made) made->insert(0, detail::float64::prelude);
    return made;
}

std::optional<problem> float64_version(problem const& task) {
    using namespace detail::float64;
    if (task.reference.language == language::wgsl) return std::nullopt;
    auto text = in_float64(task.reference.text);
    auto name = substituted(task.signature.name);
    if (!text || !name) return std::nullopt;
    problem made = task;
    made.reference.text = std::move(*text);
    made.signature.name = std::move(*name);
    bool any = false;
    for (std::size_t k = 0; k < made.signature.arguments.size(); ++k) {
        argument& a = made.signature.arguments[k];
        if (a.within) return std::nullopt; // its offset in the struct would be another
        auto spelling = substituted(a.spelling);
        if (!spelling) return std::nullopt;
        a.spelling = std::move(*spelling);
        if (!narrow(a.type.scalar)) continue;
        any = true;
        // What the text calls a byte stays one there.
        if (is_float8(a.type.scalar) && !names_float8(a, task)) return std::nullopt;
        a.type.scalar = scalar_type::float64;
    }
    if (!any) return std::nullopt;
    return made;
}

namespace detail {

argument_data widened(argument_data const& data) {
    if (!float64::narrow(data.type.scalar)) return data;
    argument_data wide{{scalar_type::float64, data.type.lanes},
                       data.buffer,
                       byte_buffer(data.lanes() * sizeof(double))};
    with_reader(data.type.scalar, [&](auto const& read) {
        for (std::size_t k = 0; k < data.lanes(); ++k) {
            double const value = read(data, k);
            std::memcpy(wide.bytes.data() + k * sizeof value, &value, sizeof value);
        }
    });
    return wide;
}

test_case widened(test_case const& test) {
    test_case wide{test.name, test.size, {}};
    for (argument_data const& a : test.arguments) wide.arguments.push_back(widened(a));
    return wide;
}

/// The version in float64, compiled, and what it says of the original.
struct float64_trial {
    gpu_ref backend;
    compiled_kernel const& kernel;
    problem const& task; ///< the original's
    test_suite& suite;
    call_context const& context;
    exact_options const& options;

    /// What that version computes on a test; nothing where it cannot.
    [[nodiscard]] std::vector<argument_data> exact(prepared_test const& t) const {
        test_case const wide = widened(t.test);
        auto dimensions =
            task.launch.evaluate(scope_of(t.test.size, suite.reference_configuration));
        if (!dimensions) return {};
        dimensions->shared_bytes *= 2;
        auto const request =
            request_on(wide, suite.directions, *dimensions, 1, 1, options.launch_limit);
        auto ran = launch(backend, kernel, request, wide, suite.directions, context);
        if (!ran || !std::holds_alternative<run_report>(*ran)) return {};
        return std::move(std::get<run_report>(*ran).kept.front().outputs);
    }

    /// An original, or a version, that is off by more of its scale proves little.
    static constexpr double doubtful = 0x1p-6;

    /// Whether an output can be nearer to exact values than the original's.
    [[nodiscard]] bool judged(std::size_t argument) const {
        return float64::narrow(task.signature.arguments[argument].type.scalar) &&
               !task.arguments[argument].scratch;
    }
    /// Whether default bounds hold for it.
    [[nodiscard]] bool by_default(std::size_t argument) const {
        return judged(argument) && !task.arguments[argument].bound;
    }

    /// What one output's errors ask for; nothing where they say nothing. `trusted`: on most tests
    /// the version computes what the original does; then nothing limits what it says of tests that
    /// lkt chose, on which the original may lose all its digits.
    [[nodiscard]] std::optional<float64::widening> measured(prepared_test const& t,
                                                            std::size_t p,
                                                            argument_data const& exact,
                                                            bool trusted) const {
        argument_data const original = widened(t.expected[p]);
        error_figures const f = figures_of(exact, original);
        if (f.lanes != exact.lanes() || !(f.scale > 0)) return std::nullopt;
        bool const chosen = t.test.origin != test_origin::asked;
        if (f.rms > doubtful && chosen && !trusted) return std::nullopt;
        if (f.rms > doubtful && !chosen) {
            suite.notes.push_back(
                "the original kernel's output `" +
                task.signature.arguments[output_positions(suite.directions)[p]].name +
                "` on test `" + t.test.name + "` is off by " + significant(f.rms) +
                " of its scale from what its text computes in float64");
            return std::nullopt;
        }
        tolerance const& bound = t.bounds[p];
        double needed = 0;
        for (std::size_t k = 0; k < exact.lanes(); ++k) {
            double const e = lane_as_double(original, k);
            needed = std::max(needed,
                              options.margin * std::fabs(lane_as_double(exact, k) - e) -
                                  bound.relative * std::fabs(e));
        }
        auto const ratio = [&](double wanted, double now) {
            double const most = chosen && trusted ? HUGE_VAL : std::max(1.0, options.max_widening);
            return now > 0 ? std::clamp(wanted / now, 1.0, most) : 1.0;
        };
        error_limits const& whole = t.limits[p];
        return float64::widening{
            ratio(needed, bound.absolute),
            ratio(options.margin * f.rms, whole.rms),
            // Errors of the size of the original's own may have a direction in common, by chance.
            ratio(std::max(options.margin * std::max(std::fabs(f.mean), std::fabs(f.factor)),
                           2 * f.rms),
                  whole.bias)};
    }

    static void widen(prepared_test& t, std::size_t p, float64::widening const& by) {
        t.bounds[p].absolute *= by.element;
        t.limits[p].rms *= by.rms;
        t.limits[p].bias *= by.bias;
    }

    void fit() const {
        auto const positions = output_positions(suite.directions);
        std::vector<bool> done(suite.tests.size(), false);
        std::vector<std::vector<float64::widening>> all(positions.size());
        std::size_t near = 0, of = 0; // outputs
        for (std::size_t n = 0; n < suite.tests.size(); ++n) {
            prepared_test& t = suite.tests[n];
            auto const bytes = float64::bytes_of(t.test);
            bool const slow = t.reference_time > seconds{0.1} && bytes > options.test_bytes / 16;
            if (slow || bytes > options.test_bytes || t.limits.size() != positions.size()) continue;
            t.exact = exact(t);
            if (t.exact.empty()) break; // it will not run on others either
            done[n] = true;
            for (std::size_t p = 0; p < positions.size(); ++p) {
                if (!judged(positions[p])) {
                    t.exact[p] = {};
                    continue;
                }
                if (is_float8(t.expected[p].type.scalar))
                    float64::round_as(t.expected[p].type.scalar, t.exact[p]);
                near += figures_of(t.exact[p], widened(t.expected[p])).rms <= doubtful;
                ++of;
            }
        }
        bool const trusted = 2 * near > of;
        for (std::size_t n = 0; n < suite.tests.size(); ++n)
            for (std::size_t p = 0; p < positions.size() && done[n]; ++p) {
                prepared_test& t = suite.tests[n];
                if (!by_default(positions[p])) continue;
                auto const by = measured(t, p, t.exact[p], trusted);
                if (!by) continue;
                widen(t, p, *by);
                all[p].push_back(*by);
            }
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (all[p].empty()) continue;
            auto const median = [&](auto member) {
                std::vector<double> values;
                for (auto const& w : all[p]) values.push_back(w.*member);
                std::sort(values.begin(), values.end());
                return values[(values.size() - 1) / 2];
            };
            float64::widening const usual{median(&float64::widening::element),
                                          median(&float64::widening::rms),
                                          median(&float64::widening::bias)};
            for (std::size_t n = 0; n < suite.tests.size(); ++n)
                if (!done[n] && p < suite.tests[n].limits.size()) widen(suite.tests[n], p, usual);
        }
    }
};

result<void> fit_bounds(gpu_ref backend,
                        problem const& task,
                        test_suite& suite,
                        call_context const& context,
                        exact_options const& options) {
    auto const wide = float64_version(task);
    if (!wide) return {};
    auto compiled = backend.compile(
        request_for_original(*wide, suite.reference_configuration, options.compile_limit), context);
    if (compiled && std::holds_alternative<compiled_kernel>(*compiled))
        float64_trial{backend, std::get<compiled_kernel>(*compiled), task, suite, context, options}
            .fit();
    if (context.stop.stop_requested()) return cancelled("measuring the original's own errors");
    return {};
}

} // namespace detail

} // namespace lkt
