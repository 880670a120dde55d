// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/thinking.hpp>

#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/think_tags.hpp>

#include <cstddef>

namespace lkt {

thinking_split split_thinking(std::string_view text) {
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

std::string strip_thinking(std::string_view text) { return split_thinking(text).answer; }

} // namespace lkt
