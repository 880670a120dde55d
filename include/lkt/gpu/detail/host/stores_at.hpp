// SPDX-License-Identifier: BSL-1.0
// Whether an array's element is read or written: UBSan says only that an index is out of bounds.
#pragma once

#include <lkt/kernel/text_location.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// The lines that a compiler's messages count: those behind the first `#line`.
[[nodiscard]] inline std::string text_of_lines(std::string const& compiled) {
    auto const at = compiled.find("#line 1 ");
    return at == compiled.npos ? compiled : compiled.substr(compiled.find('\n', at) + 1);
}

/// `at` is in an index expression `a[k]` of `text`: at its name (clang) or its bracket (GCC).
/// Whether the expression is a target: assigned, counted up or down, or its address taken, as
/// atomics do. A place that is not found is none.
[[nodiscard]] inline bool stores_at(std::string_view text, text_location at) {
    auto const read = tokenize(text);
    if (!read || at.line == 0) return false;
    std::vector<token> const& all = *read;
    std::size_t const none = all.size();
    auto const is = [&](std::size_t k, std::string_view what) {
        return k < all.size() && all[k].is(what);
    };
    auto const matching = [&](std::size_t k, bool forward, char const* open, char const* close) {
        for (int depth = 0; k < all.size(); forward ? ++k : --k) {
            depth += all[k].is(open) ? 1 : all[k].is(close) ? -1 : 0;
            if (depth == 0) return k;
        }
        return none;
    };
    auto const found = std::find_if(all.begin(), all.end(), [&](token const& t) {
        return t.where.line == at.line && t.where.column >= at.column;
    });
    auto k = static_cast<std::size_t>(found - all.begin());
    if (k < all.size() && !all[k].is("]")) {
        while (k < all.size() && !all[k].is("[")) ++k;
        k = matching(k, true, "[", "]");
    }
    if (k >= all.size()) return false;
    // What comes before the whole: names, members and further indices belong to it.
    auto begin = matching(k, false, "[", "]");
    while (begin < all.size() && begin > 0) {
        token const& before = all[begin - 1];
        if (before.is("]"))
            begin = matching(begin - 1, false, "[", "]");
        else if (before.is(".") || before.is("->") || before.is("::") ||
                 (before.kind == token_kind::identifier && !before.is("return")))
            --begin;
        else
            break;
    }
    // What comes behind it.
    for (++k; k < all.size();)
        if (is(k, "["))
            k = matching(k, true, "[", "]") + 1;
        else if (is(k, ".") || (is(k, ")") && begin > 0 && is(begin - 1, "(")))
            is(k, ".") ? k += 2 : (++k, --begin);
        else
            break;
    constexpr std::array targets = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    if (std::any_of(targets.begin(), targets.end(), [&](auto* t) { return is(k, t); })) return true;
    if (begin == 0 || begin > all.size()) return false;
    bool const address = is(begin - 1, "&") && (begin == 1 || is(begin - 2, "(") ||
                                                is(begin - 2, ",") || is(begin - 2, "="));
    return address || is(begin - 1, "++") || is(begin - 1, "--");
}

} // namespace lkt::host_detail
