// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/fence_line.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace lkt::detail {

struct think_tag {
    std::size_t begin = 0, end = 0;
    bool opens = false;
    bool starts_line = false, ends_line = false;
};

/// `text` begins with `word`, which is given in lower case.
[[nodiscard]] constexpr bool begins_with_word(std::string_view text, std::string_view word) {
    if (text.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        char const c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
        if (c != word[i]) return false;
    }
    return true;
}

/// All opening and closing tags in order.
[[nodiscard]] inline std::vector<think_tag> think_tags(std::string_view text) {
    static constexpr std::array<std::string_view, 2> names{"think>", "thinking>"};
    std::vector<think_tag> tags;
    std::size_t line_text = 0; // where something other than white space begins in this line
    bool blank_so_far = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') {
            blank_so_far = true;
            continue;
        }
        if (blank_so_far && !is_blank(text[i])) {
            blank_so_far = false;
            line_text = i;
        }
        if (text[i] != '<') continue;
        bool const closes = i + 1 < text.size() && text[i + 1] == '/';
        auto const rest = text.substr(i + (closes ? 2 : 1));
        for (std::string_view const name : names) {
            if (!begins_with_word(rest, name)) continue;
            std::size_t const end = i + (closes ? 2 : 1) + name.size();
            // Only as far as the line goes, so that the whole stays linear for short lines.
            std::size_t after = end;
            while (after < text.size() && is_blank(text[after]) && text[after] != '\n') ++after;
            tags.push_back(
                {i, end, !closes, line_text == i, after == text.size() || text[after] == '\n'});
        }
    }
    return tags;
}

struct think_span {
    bool closed = false;
    std::size_t close_begin = 0, close_end = 0;
};

/// Where the reasoning ends that `tags[first]` opens.
[[nodiscard]] inline think_span reasoning_span(std::vector<think_tag> const& tags,
                                               std::size_t first) {
    think_span last;
    int depth = 0;
    for (std::size_t i = first; i < tags.size(); ++i) {
        if (tags[i].opens) {
            // Reasoning may speak of the tag; a tag that opens something begins a line.
            if (tags[i].starts_line) ++depth;
            continue;
        }
        last = {true, tags[i].begin, tags[i].end};
        if (--depth == 0) return last;
    }
    return last;
}

} // namespace lkt::detail
