// SPDX-License-Identifier: BSL-1.0
// Telling code from prose, and a kernel from other code.
#pragma once

#include <lkt/kernel/source.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/llm/detail/fence_line.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// `__global__` or `@compute`, with a body after it before the declaration ends. Text that cannot
/// be read as tokens is searched as it is: who reads the kernel later has the better words for its
/// defect.
[[nodiscard]] inline bool defines_kernel(std::string_view text, language in) {
    if (in == language::wgsl) {
        std::size_t const at = text.find("@compute");
        if (at == text.npos || text.find('{', at) == text.npos) return false;
        auto const module = reflect_wgsl({language::wgsl, std::string(text), {}});
        return !module || !module->entry_points.empty();
    }
    if (text.find("__global__") == text.npos) return false;
    auto const tokens = tokenize(text);
    if (!tokens) return true;
    bool announced = false;
    int parentheses = 0;
    for (token const& t : *tokens) {
        // A kernel behind a macro: the preprocessor will tell.
        if (t.directive) {
            if (t.is("__global__")) return true;
            continue;
        }
        if (t.is("__global__")) {
            announced = true;
            parentheses = 0;
        }
        if (!announced) continue;
        if (t.is("(")) ++parentheses;
        if (t.is(")")) --parentheses;
        if (parentheses > 0) continue;
        if (t.is("{")) return true;
        if (t.is(";")) announced = false;
    }
    return false;
}

[[nodiscard]] inline bool holds_fence(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        auto const line = line_at(text, at);
        if (read_fence(line.text)) return true;
        at = line.next;
    }
    return false;
}

/// Begins as a translation unit begins, ends as one ends, and has its braces in balance.
[[nodiscard]] inline bool looks_like_code(std::string_view text) {
    using namespace std::string_view_literals;
    static constexpr std::array beginnings{"#"sv,
                                           "extern"sv,
                                           "template"sv,
                                           "__global__"sv,
                                           "__device__"sv,
                                           "__host__"sv,
                                           "__shared__"sv,
                                           "__constant__"sv,
                                           "__launch_bounds__"sv,
                                           "static"sv,
                                           "inline"sv,
                                           "constexpr"sv,
                                           "const"sv,
                                           "using"sv,
                                           "typedef"sv,
                                           "struct"sv,
                                           "class"sv,
                                           "union"sv,
                                           "enum"sv,
                                           "namespace"sv,
                                           "void"sv,
                                           "float"sv,
                                           "double"sv,
                                           "int"sv,
                                           "unsigned"sv,
                                           "@"sv,
                                           "var"sv,
                                           "override"sv,
                                           "fn"sv,
                                           "enable"sv,
                                           "requires"sv,
                                           "diagnostic"sv,
                                           "alias"sv};
    if (trimmed(text).empty()) return false;
    auto const tokens = tokenize(text);
    if (!tokens || tokens->empty()) return false;
    token const& first = tokens->front();
    token const& last = tokens->back();
    if (std::none_of(beginnings.begin(), beginnings.end(), [&](std::string_view word) {
            return first.is(word);
        }))
        return false;
    if (!last.directive && !last.is("}") && !last.is(";")) return false;
    int depth = 0;
    for (token const& t : *tokens) {
        if (t.is("{")) ++depth;
        if (t.is("}") && --depth < 0) return false;
    }
    return depth == 0;
}

} // namespace lkt::detail
