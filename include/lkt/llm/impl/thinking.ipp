// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/thinking.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/think_tags.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lkt {

thinking_split split_thinking(std::string_view text, std::span<thinking_tags const> more) {
    thinking_split split;
    auto const take = [&](std::string_view part) {
        part = trimmed(part);
        if (!split.reasoning.empty() && !part.empty()) split.reasoning += '\n';
        split.reasoning += part;
    };
    auto const tags = detail::think_tags(text, detail::tag_texts(more));
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
    if (stripped) split.answer = std::string(trimmed(split.answer));
    return split;
}

std::string strip_thinking(std::string_view text, std::span<thinking_tags const> more) {
    return split_thinking(text, more).answer;
}

namespace detail {

/// Why no tag has this text; empty where one may.
[[nodiscard]] inline std::string_view tag_text_defect(std::string_view text) {
    if (text.empty()) return "is empty";
    if (text.size() < 3) return "is shorter than 3 bytes and could occur in any answer";
    if (text.size() > 100) return "is longer than 100 bytes";
    if (well_formed_utf8(text) != text) return "is not UTF-8";
    if (trimmed(text) != text) return "begins or ends with white space";
    if (std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }))
        return "is not one line of text";
    if (text.starts_with("```") || text.starts_with("~~~"))
        return "is a fence, which encloses code in answers";
    return {};
}

[[nodiscard]] inline error unfit_tags(std::string what) {
    return {condition::rejected,
            "lkt.llm.thinking-tags",
            std::move(what),
            "give the texts that open and close the model's reasoning, as they stand in its "
            "replies, e.g. <reasoning> and </reasoning>"};
}

} // namespace detail

std::optional<error> thinking_defect(std::span<thinking_tags const> tags) {
    using namespace detail;
    for (thinking_tags const& own : tags) {
        for (std::string const* text : {&own.opening, &own.closing}) {
            auto const why = tag_text_defect(*text);
            if (why.empty()) continue;
            std::string const which = text == &own.opening ? "opening" : "closing";
            return unfit_tags("the " + which + " tag of reasoning, `" +
                              excerpt(well_formed_utf8(*text), 0, 100) + "`, " + std::string(why));
        }
    }
    tag_texts const known(tags);
    for (thinking_tags const& own : tags)
        for (tag_text const& other : known.all())
            if (std::string const& text = other.opens ? own.closing : own.opening;
                other.agrees(text))
                return unfit_tags("`" + text + "` and `" + std::string(other.text) +
                                  "` cannot be told apart, though one opens reasoning and the "
                                  "other closes it");
    return std::nullopt;
}

} // namespace lkt
