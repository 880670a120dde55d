// SPDX-License-Identifier: BSL-1.0
// Reasoning that a model writes into its answer between <think> tags.
#pragma once

#include <lkt/llm/detail/think_tags.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// A reply's text, taken apart.
struct thinking_split {
    std::string answer;    ///< without surrounding white space where reasoning was taken out
    std::string reasoning; ///< what stood between the tags
    bool cut_off = false;  ///< a tag was never closed: the reply ended while reasoning
    friend bool operator==(thinking_split const&, thinking_split const&) = default;
};

/// Takes `<think>...</think>` (also `<thinking>`, any case) out of `text`. An opening tag counts
/// where it begins a line outside of a fenced block, so that an answer may speak of the tag:
/// \li nested tags are counted; where they do not balance, the last closing tag ends the reasoning
/// \li a tag that is never closed takes everything after it
/// \li a closing tag that ends a line, before any opening one, takes everything before it (some
///     servers put the opening tag into the prompt)
/// Linear in the size of the text.
[[nodiscard]] inline thinking_split split_thinking(std::string_view text) {
    thinking_split split;
    auto const take = [&](std::string_view part) {
        part = detail::trimmed(part);
        if (!split.reasoning.empty() && !part.empty()) split.reasoning += '\n';
        split.reasoning += part;
    };
    auto const tags = detail::think_tags(text);
    std::size_t at = 0;
    // Without its opening tag, reasoning is all that comes before the closing one.
    if (!tags.empty() && !tags.front().opens && tags.front().ends_line) {
        take(text.substr(0, tags.front().begin));
        at = tags.front().end;
    }
    bool stripped = at > 0;
    detail::fence_scan fences(text, at);
    for (std::size_t i = 0; i < tags.size(); ++i) {
        if (tags[i].begin < at || !tags[i].opens || !tags[i].starts_line) continue;
        if (fences.inside(tags[i].begin)) continue;
        auto const span = detail::reasoning_span(tags, i);
        split.answer += text.substr(at, tags[i].begin - at);
        std::size_t const end = span.closed ? span.close_begin : text.size();
        take(text.substr(tags[i].end, end - tags[i].end));
        split.cut_off = !span.closed;
        at = span.closed ? span.close_end : text.size();
        stripped = true;
        fences.restart(at);
    }
    split.answer += text.substr(at);
    if (stripped) split.answer = std::string(detail::trimmed(split.answer));
    return split;
}

/// The answer alone.
[[nodiscard]] inline std::string strip_thinking(std::string_view text) {
    return split_thinking(text).answer;
}

} // namespace lkt
