// SPDX-License-Identifier: BSL-1.0
// A text that arrived in two pieces.
#pragma once

#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/fenced_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// Shorter repetitions are taken for chance.
inline constexpr std::size_t min_overlap = 8, max_overlap = 2000;

/// Length of the longest end of `first` with which `next` begins.
[[nodiscard]] inline std::size_t overlap(std::string_view first, std::string_view next) {
    std::size_t const most = std::min({first.size(), next.size(), max_overlap});
    for (std::size_t n = most; n >= min_overlap; --n)
        if (first.ends_with(next.substr(0, n)) && !trimmed(next.substr(0, n)).empty()) return n;
    return 0;
}

/// `first` and its continuation. Left out of the latter is what models add though they were told
/// not to: a fence around the rest, and the last words of `first` again. One that begins as `first`
/// does is the whole text once more.
[[nodiscard]] inline std::string join_pieces(std::string_view first, std::string_view next) {
    auto const start = trimmed(first).substr(0, 32), begin = trimmed(next);
    if (start.size() >= min_overlap && begin.size() > start.size() && begin.starts_with(start))
        return std::string(next);
    std::string_view rest = next;
    auto const blocks = fenced_blocks(first);
    bool const open = !blocks.empty() && !blocks.back().closed;
    bool const fenced = begin.starts_with("```") && begin.find('\n') != begin.npos;
    if (fenced && (open || begins_like_json(first))) {
        rest = begin.substr(begin.find('\n') + 1);
        // The closing fence ends the block that was open; bare JSON goes on without one.
        if (!open && rest.ends_with("```")) rest.remove_suffix(3);
    }
    return std::string(first).append(rest.substr(overlap(first, rest)));
}

} // namespace lkt::detail
