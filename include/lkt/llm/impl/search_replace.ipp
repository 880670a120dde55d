// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/search_replace.hpp>

#include <lkt/llm/thinking.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lkt {

namespace detail {

/// The lines of a text, each without its end and the white space before that.
[[nodiscard]] inline std::vector<std::string_view> patch_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r") + 1));
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

[[nodiscard]] inline error wrong_patch(char const* code, std::string why) {
    return {condition::rejected,
            code,
            std::move(why),
            "copy the lines exactly, with enough of them that they occur once"};
}

enum class patch_part : std::uint8_t { outside, search, replace };

} // namespace detail

result<std::vector<text_edit>> read_edits(std::string_view reply) {
    using detail::patch_part;
    auto const split = split_thinking(reply);
    std::vector<text_edit> edits;
    auto part = patch_part::outside;
    auto const wrong = [&](std::string const& why) {
        return detail::wrong_patch("lkt.patch.form",
                                   "edit " + std::to_string(edits.size() + 1) + " " + why);
    };
    text_edit edit;
    for (std::string_view const line : detail::patch_lines(split.answer)) {
        if (line == "<<<<<<< SEARCH") {
            if (part != patch_part::outside) return wrong("does not end before the next begins");
            part = patch_part::search;
            edit = {};
        } else if (line == "=======" && part != patch_part::outside) {
            if (part == patch_part::replace) return wrong("has two lines =======");
            if (edit.search.find_first_not_of('\n') == std::string::npos)
                return wrong("has an empty search text");
            part = patch_part::replace;
        } else if (line == ">>>>>>> REPLACE") {
            if (part != patch_part::replace)
                return wrong("has no line ======= before >>>>>>> REPLACE");
            if (edits.size() == max_edits)
                return wrong("is one too many: at most " + std::to_string(max_edits));
            edits.push_back(std::move(edit));
            part = patch_part::outside;
        } else if (part != patch_part::outside) {
            (part == patch_part::search ? edit.search : edit.replace).append(line).append("\n");
        }
    }
    if (part != patch_part::outside) return wrong("does not end");
    return edits;
}

result<std::string> apply_edits(std::string_view text, std::span<text_edit const> edits) {
    std::string now(text);
    for (std::size_t k = 0; k < edits.size(); ++k) {
        auto const lines = detail::patch_lines(now);
        auto const wanted = detail::patch_lines(edits[k].search);
        auto const at = std::search(lines.begin(), lines.end(), wanted.begin(), wanted.end());
        auto const wrong = [&](char const* why) {
            return detail::wrong_patch("lkt.patch.search",
                                       "the lines that edit " + std::to_string(k + 1) +
                                           " searches for " + why);
        };
        if (wanted.empty() || at == lines.end()) return wrong("are not in the text");
        if (std::search(at + 1, lines.end(), wanted.begin(), wanted.end()) != lines.end())
            return wrong("occur more than once in the text");
        auto const place = [&](auto line) { // in bytes, of the line's first
            return line == lines.end() ? now.size()
                                       : static_cast<std::size_t>(line->data() - now.data());
        };
        std::size_t const begin = place(at);
        std::size_t const end = place(at + static_cast<std::ptrdiff_t>(wanted.size()));
        now.replace(begin, end - begin, edits[k].replace);
    }
    return now;
}

} // namespace lkt
