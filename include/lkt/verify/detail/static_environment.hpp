// SPDX-License-Identifier: BSL-1.0
// Names by which a text can ask who compiles it, where and how.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::statics {

inline constexpr std::string_view no_condition =
    "neither the candidate's text, nor its parameters, nor the original defines this name; delete "
    "the condition and keep one branch";
inline constexpr std::string_view no_pasted_condition =
    "macros build this condition, so it could test anything; write its names out";
inline constexpr std::string_view no_library_condition =
    "headers define this name in some compilations and not in others; use it without a condition, "
    "or "
    "write #define with a name of your own";
inline constexpr std::string_view no_environment =
    "it depends on the compiler, the machine or the build, but a kernel must be the same in all of "
    "them";

/// What has one meaning wherever a kernel is compiled: `__CUDA_ARCH__` is the device's, and the
/// names of HIP are nowhere defined.
[[nodiscard]] constexpr bool means_the_same_everywhere(std::string_view name) {
    constexpr std::array<std::string_view, 9> names = {"__CUDA_ARCH__",
                                                       "__CUDACC__",
                                                       "__cplusplus",
                                                       "__LINE__",
                                                       "__HIP__",
                                                       "__HIPCC__",
                                                       "__HIP_PLATFORM_AMD__",
                                                       "__HIP_PLATFORM_NVIDIA__",
                                                       "__HIP_DEVICE_COMPILE__"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Constants of the C and CUDA headers that kernels define where they lack, with their values.
struct library_constant {
    std::string_view name;
    double value;
};
inline constexpr auto library_constants = std::to_array<library_constant>({
    {"M_PI", 3.14159265358979323846},
    {"M_PI_2", 1.57079632679489661923},
    {"M_PI_4", 0.78539816339744830962},
    {"M_1_PI", 0.31830988618379067154},
    {"M_2_PI", 0.63661977236758134308},
    {"M_E", 2.7182818284590452354},
    {"M_LOG2E", 1.4426950408889634074},
    {"M_LOG10E", 0.43429448190325182765},
    {"M_LN2", 0.69314718055994530942},
    {"M_LN10", 2.30258509299404568402},
    {"M_SQRT2", 1.41421356237309504880},
    {"M_SQRT1_2", 0.70710678118654752440},
    {"CUDART_PI_F", 3.141592654},
    {"CUDART_PI", 3.1415926535897931},
    {"FLT_MAX", 3.402823466e38},
    {"FLT_MIN", 1.175494351e-38},
    {"FLT_EPSILON", 1.192092896e-07},
    {"DBL_MAX", 1.7976931348623157e308},
    {"DBL_EPSILON", 2.2204460492503131e-16},
    {"INT_MAX", 2147483647},
    {"UINT_MAX", 4294967295.0},
    {"CHAR_BIT", 8},
});
/// Others that headers may or may not define.
[[nodiscard]] inline bool of_a_header(std::string_view name) {
    constexpr auto names = std::to_array<std::string_view>(
        {"NULL",     "assert",   "INFINITY", "NAN",          "HUGE_VAL",     "HUGE_VALF",
         "NDEBUG",   "linux",    "unix",     "i386",         "INT_MIN",      "LONG_MAX",
         "LONG_MIN", "SIZE_MAX", "DBL_MIN",  "offsetof",     "CUDA_VERSION", "CUDART_VERSION",
         "EOF",      "stdin",    "errno",    "CUDART_INF_F", "CUDART_NAN_F"});
    for (std::string_view const begins :
         {"CUDART_", "CUDA_",  "CUB_",   "THRUST_", "CCCL_",  "LIBCUDACXX_", "NV_",
          "INT8_",   "INT16_", "INT32_", "INT64_",  "UINT8_", "UINT16_",     "UINT32_",
          "UINT64_", "SHRT_",  "SCHAR_", "UCHAR_",  "USHRT_", "ULONG_",      "LLONG_",
          "ULLONG_", "FLT_",   "DBL_",   "LDBL_",   "M_"})
        if (name.starts_with(begins)) return true;
    for (auto const& c : library_constants)
        if (c.name == name) return true;
    return std::find(names.begin(), names.end(), name) != names.end();
}
/// Names that belong to the compiler, whoever defines them.
[[nodiscard]] constexpr bool of_the_compiler(std::string_view name) {
    return name.starts_with("__") ||
           (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

/// Macros of compilers, by their form or by name: `__SANITIZE_ADDRESS__`, `__clang__`.
[[nodiscard]] inline bool tells_of_the_environment(std::string_view name) {
    constexpr auto names = std::to_array<std::string_view>({
        "__COUNTER__",
        "__clang__",
        "__clang_major__",
        "__clang_minor__",
        "__clang_version__",
        "__x86_64__",
        "__x86_64",
        "__amd64__",
        "__amd64",
        "__aarch64__",
        "__i386__",
        "__linux__",
        "__linux",
        "__unix__",
        "__unix",
        "__gnu_linux__",
        "__PRETTY_FUNCTION__",
        "__FUNCSIG__",
        "__builtin_FILE",
        "__builtin_LINE",
        "__builtin_FUNCTION",
        "__builtin_source_location",
        "__builtin_constant_p",
        "_LP64",
        "__pic__",
        "__PIC__",
        "__pie__",
        "source_location",
    });
    if (means_the_same_everywhere(name) || name == "__FILE__" || name == "__VA_ARGS__" ||
        name == "__VA_OPT__")
        return false;
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    if (name.starts_with("__has_include") || name == "__has_embed") return false; // `include` does
    if (name.starts_with("__has_") || name.starts_with("__cpp_")) return true;
    return name.size() > 5 && name.starts_with("__") && name.ends_with("__") &&
           name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
}

/// The conditions of a text, and the names that its own lines define.
class conditions {
public:
    explicit conditions(std::vector<token> const& written) : all_(written) {
        std::vector<std::size_t> lines;
        for (std::size_t i = 0; i + 2 < all_.size(); ++i)
            if (all_[i].directive && all_[i].first && all_[i + 1].is("define") &&
                !all_[i + 2].first) {
                defined_.insert(all_[i + 2].text);
                lines.push_back(i + 2);
            }
        // Macros that paste, and those that name one: rounds enough for honest nesting; who nests
        // deeper is taken to paste.
        bool more = true;
        for (int round = 0; more && round < 50; ++round) {
            more = false;
            for (auto const name : lines)
                if (!pasting_.contains(all_[name].text) && pastes(name))
                    more = pasting_.insert(all_[name].text).second;
        }
        if (more) pasting_ = defined_;
    }
    [[nodiscard]] std::set<std::string> const& defined() const { return defined_; }

    /// Calls `found(token, why)` for each name in the condition at `i`, a `#`, that is not for a
    /// kernel to ask. `known`: names that may be asked.
    template <class Found>
    void look(std::size_t i, std::set<std::string> const& known, Found found) const {
        auto const& word = all_[i + 1];
        bool const expression = word.is("if") || word.is("elif");
        for (auto k = i + 2; k < all_.size() && all_[k].directive && !all_[k].first; ++k) {
            auto const& t = all_[k];
            if (t.kind == token_kind::identifier && !is_word_of_conditions(t.text) &&
                !means_the_same_everywhere(t.text) && !known.contains(t.text)) {
                bool const own = defined_.contains(t.text);
                if (own && pasting_.contains(t.text)) found(t, no_pasted_condition);
                if (!own || of_the_compiler(t.text))
                    found(t, no_condition);
                else if (of_a_header(t.text) && !supplies_a_constant(i))
                    found(t, no_library_condition);
            }
            if (!expression) return;
        }
    }

private:
    [[nodiscard]] bool pastes(std::size_t name) const {
        for (auto k = name + 1; k < all_.size() && all_[k].directive && !all_[k].first; ++k)
            if (all_[k].is("##") ||
                (all_[k].kind == token_kind::identifier && pasting_.contains(all_[k].text)))
                return true;
        return false;
    }
    static bool is_word_of_conditions(std::string_view t) {
        constexpr auto words = std::to_array<std::string_view>({"defined",
                                                                "true",
                                                                "false",
                                                                "and",
                                                                "or",
                                                                "not",
                                                                "bitand",
                                                                "bitor",
                                                                "xor",
                                                                "compl",
                                                                "not_eq"});
        // `include` tells of these.
        return std::find(words.begin(), words.end(), t) != words.end() ||
               t.starts_with("__has_include") || t == "__has_embed";
    }
    [[nodiscard]] bool is(std::size_t k, std::string_view what) const {
        return k < all_.size() && all_[k].is(what);
    }
    /// `#ifndef M_PI`, `#define M_PI 3.14159f`, `#endif`, with the right value.
    [[nodiscard]] bool supplies_a_constant(std::size_t i) const {
        if (!is(i + 1, "ifndef") || !is(i + 3, "#") || !is(i + 4, "define")) return false;
        auto const& name = all_[i + 2].text;
        if (!is(i + 5, name)) return false;
        auto k = i + 6;
        bool const round = is(k, "(");
        if (round) ++k;
        if (k >= all_.size() || all_[k].kind != token_kind::number) return false;
        auto const& text = all_[k].text;
        double value = 0;
        auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc{}) return false;
        for (char const* c = read.ptr; c != text.data() + text.size(); ++c)
            if (std::string_view("fFlLuU").find(*c) == std::string_view::npos) return false;
        if (round && !is(++k, ")")) return false;
        if (!is(k + 1, "#") || !is(k + 2, "endif")) return false;
        for (auto const& c : library_constants)
            if (c.name == name) return value > c.value * (1 - 1e-6) && value < c.value * (1 + 1e-6);
        return false;
    }

    std::vector<token> const& all_;
    std::set<std::string> defined_;
    std::set<std::string> pasting_; ///< macros that may paste a name together
};

} // namespace lkt::detail::statics
