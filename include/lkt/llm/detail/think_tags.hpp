// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/thinking.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lkt::detail {

/// The text of a tag. Those that open and close each other's reasoning are of one family.
struct tag_text {
    std::string_view text;
    bool opens = false;
    bool any_case = false; ///< and `text` is in lower case
    int family = 0;

    [[nodiscard]] constexpr bool same(char a, char b) const {
        return (any_case && a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    }
    /// `rest` begins with the text, or is the beginning of it.
    [[nodiscard]] constexpr bool agrees(std::string_view rest) const {
        rest = rest.substr(0, text.size());
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (!same(rest[i], text[i])) return false;
        return true;
    }
    [[nodiscard]] constexpr bool begins(std::string_view rest) const {
        return rest.size() >= text.size() && agrees(rest);
    }
};

/// All texts that open or close reasoning. The views are those of the tags it was made of.
class tag_texts {
public:
    explicit tag_texts(std::span<thinking_tags const> more = {}) {
        add("<think>", "</think>", true);
        add("<think>", "</thinking>", true);
        add("<thinking>", "</thinking>", true);
        // As letters stand here, for `[think]` may begin a line of code: a lambda.
        add("[THINK]", "[/THINK]");
        add("\xE2\x97\x81think\xE2\x96\xB7", "\xE2\x97\x81/think\xE2\x96\xB7"); // white triangles
        add("<seed:think>", "</seed:think>");
        add("<|START_THINKING|>", "<|END_THINKING|>");
        add("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>");
        add("<|channel|>analysis<|message|>", "<|channel|>final<|message|>");
        for (thinking_tags const& own : more)
            if (!own.opening.empty() && !own.closing.empty()) add(own.opening, own.closing);
    }

    [[nodiscard]] bool may_begin(char c) const { return first_[static_cast<unsigned char>(c)]; }
    /// The longest tag that `rest` begins with, or null.
    [[nodiscard]] tag_text const* find(std::string_view rest) const {
        tag_text const* longest = nullptr;
        for (tag_text const& tag : all_)
            if (tag.begins(rest) && (!longest || tag.text.size() > longest->text.size()))
                longest = &tag;
        return longest;
    }
    /// `rest` may become a tag, or a longer one, with what follows it.
    [[nodiscard]] bool may_grow(std::string_view rest) const {
        return std::any_of(all_.begin(), all_.end(), [&](tag_text const& tag) {
            return rest.size() < tag.text.size() && tag.agrees(rest);
        });
    }
    [[nodiscard]] std::vector<tag_text> const& all() const { return all_; }

private:
    void add(std::string_view opening, std::string_view closing, bool any_case = false) {
        int const family = static_cast<int>(all_.size());
        std::vector<int> joined;
        for (tag_text const& tag : all_)
            for (auto const text : {opening, closing})
                if (tag.text.size() == text.size() && tag.begins(text))
                    joined.push_back(tag.family);
        for (tag_text& tag : all_)
            if (std::find(joined.begin(), joined.end(), tag.family) != joined.end())
                tag.family = family;
        all_.push_back({opening, true, any_case, family});
        all_.push_back({closing, false, any_case, family});
        for (auto const text : {opening, closing})
            first_[static_cast<unsigned char>(text.front())] = true;
    }

    std::vector<tag_text> all_;
    std::array<bool, 256> first_{}; ///< by the first byte of a text
};

struct think_tag {
    std::size_t begin = 0, end = 0;
    bool opens = false;
    int family = 0;
    bool starts_line = false, ends_line = false;
};

/// All opening and closing tags in order.
[[nodiscard]] inline std::vector<think_tag> think_tags(std::string_view text,
                                                       tag_texts const& known) {
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
        if (!known.may_begin(text[i])) continue;
        auto const* const tag = known.find(text.substr(i));
        if (!tag) continue;
        std::size_t const end = i + tag->text.size();
        // Only as far as the line goes, so that the whole stays linear for short lines.
        std::size_t after = end;
        while (after < text.size() && is_blank(text[after]) && text[after] != '\n') ++after;
        tags.push_back({i,
                        end,
                        tag->opens,
                        tag->family,
                        line_text == i,
                        after == text.size() || text[after] == '\n'});
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
    std::size_t at = 0; // a tag may lie within another one
    for (std::size_t i = first; i < tags.size(); ++i) {
        if (tags[i].family != tags[first].family || tags[i].begin < at) continue;
        if (tags[i].opens) {
            // Reasoning may speak of the tag; a tag that opens something begins a line.
            if (!tags[i].starts_line) continue;
            ++depth;
            at = tags[i].end;
            continue;
        }
        at = tags[i].end;
        last = {true, tags[i].begin, tags[i].end};
        if (--depth == 0) return last;
    }
    return last;
}

} // namespace lkt::detail
