// SPDX-License-Identifier: BSL-1.0
// What is done with a variable that outlives a launch, and whose it is.
#pragma once

#include <lkt/lang/cuda/includes.hpp>
#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace lkt::detail::statics {

/// Whether the use of a variable at `i` only reads it, as far as one expression shows.
[[nodiscard]] inline bool
only_read(std::vector<expanded_token> const& tokens, std::size_t i, bool array) {
    constexpr std::size_t max_index = 256;
    auto const is = [&](std::size_t k, std::string_view text) {
        return k < tokens.size() && tokens[k].is(text);
    };
    std::size_t begin = i, groups = 0;
    // Parentheses that group, not those of a call or a condition: `(name)[3] = 1`.
    while (begin > 1 && is(begin - 1, "(") && !tokens[begin - 2].names() && ++groups < 100) --begin;
    if (begin > 0 && (is(begin - 1, "++") || is(begin - 1, "--"))) return false;
    if (begin > 0 && is(begin - 1, "&")) {
        // `a & name` reads; `&name` takes its address.
        bool const operand =
            begin > 1 && !is(begin - 2, "return") &&
            (tokens[begin - 2].names() || is(begin - 2, ")") || is(begin - 2, "]") ||
             tokens[begin - 2].tok.kind == token_kind::number);
        if (!operand) return false;
    }
    std::size_t k = i + 1;
    bool indexed = false;
    for (;;) {
        if (is(k, "[")) {
            std::size_t depth = 0;
            std::size_t const end = k + max_index;
            for (; k < std::min(tokens.size(), end); ++k) {
                if (is(k, "[")) ++depth;
                if (is(k, "]") && --depth == 0) break;
            }
            if (k == end) return false;
            indexed = true;
            ++k;
        } else if ((is(k, ".") || is(k, "->")) && !is(k + 2, "(")) {
            k += 2;
            indexed = true;
        } else if (is(k, ")") && groups > 0) {
            --groups;
            ++k;
        } else {
            break;
        }
    }
    static constexpr std::string_view writes[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", ".", "->"};
    for (auto const w : writes)
        if (is(k, w)) return false;
    if (array && !indexed) return false; // its address goes elsewhere
    // Handed over by itself, it may be taken by reference.
    bool const alone = i > 0 && (is(i - 1, "(") || is(i - 1, ",")) && (is(k, ",") || is(k, ")"));
    return !alone || indexed;
}

/// `namespace cuda {`, `struct cub`, and names that look as a compiler's for something there:
/// variables that a module has there do not count as its own. A struct may be called `thrust`.
[[nodiscard]] inline bool declares_in_library(std::vector<expanded_token> const& in,
                                              std::size_t i) {
    std::string_view const name = in[i].tok.text;
    if (name.starts_with("_Z") || name.starts_with("THRUST_")) return true;
    if (i == 0 || std::find(library_namespaces.begin(), library_namespaces.end(), name) ==
                      library_namespaces.end())
        return false;
    for (auto const kind : {"struct", "class", "union", "enum"})
        if (in[i - 1].is(kind)) return name != "thrust";
    return in[i - 1].is("namespace") && !(i > 1 && in[i - 2].is("using"));
}

} // namespace lkt::detail::statics
