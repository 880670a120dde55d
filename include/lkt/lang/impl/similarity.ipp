// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/similarity.hpp>

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace lkt {

bool same_tokens(std::string_view a, std::string_view b) {
    if (a == b) return true;
    auto const one = tokenize(a), other = tokenize(b);
    if (!one || !other) return false;
    return std::equal(
        one->begin(), one->end(), other->begin(), other->end(), [](token const& x, token const& y) {
            // Where a line ends matters to the preprocessor alone.
            return x.kind == y.kind && x.text == y.text && x.directive == y.directive &&
                   (!x.directive || x.first == y.first);
        });
}

namespace detail {

using token_run = std::array<std::string_view, 3>;

/// Sorted; the ends of the text count as empty tokens.
[[nodiscard]] inline std::vector<token_run> token_runs(std::vector<token> const& tokens) {
    std::vector<token_run> runs;
    token_run last{};
    auto const add = [&](std::string_view text) {
        last = {last[1], last[2], text};
        runs.push_back(last);
    };
    for (token const& t : tokens) add(t.text);
    add({});
    add({});
    std::sort(runs.begin(), runs.end());
    return runs;
}

} // namespace detail

double similarity(std::string_view a, std::string_view b) {
    if (same_tokens(a, b)) return 1;
    auto const one = tokenize(a), other = tokenize(b);
    if (!one || !other) return 0;
    auto const x = detail::token_runs(*one), y = detail::token_runs(*other);
    std::vector<detail::token_run> both;
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
    return 2 * static_cast<double>(both.size()) / static_cast<double>(x.size() + y.size());
}

} // namespace lkt
