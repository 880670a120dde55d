// SPDX-License-Identifier: BSL-1.0
// Reasoning that a model writes into its answer between tags.
#pragma once

#include <lkt/core/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lkt {

/// What opens and what closes reasoning in the text of a model, letter by letter.
struct thinking_tags {
    std::string opening, closing;
    friend bool operator==(thinking_tags const&, thinking_tags const&) = default;
};

/// A reply's text, taken apart.
struct thinking_split {
    std::string answer;    ///< without surrounding white space where reasoning was taken out
    std::string reasoning; ///< what stood between the tags
    bool cut_off = false;  ///< a tag was never closed: the reply ended while reasoning
    friend bool operator==(thinking_split const&, thinking_split const&) = default;
};

/// Takes `<think>...</think>` (also `<thinking>`, any case), the tags of Mistral, Kimi, Cohere,
/// Seed and gpt-oss (docs/llm.md lists them), and those in `more` out of `text`. An opening tag
/// counts only at the start of a line outside of a fenced block, so that an answer may mention the
/// tag:
/// \li nested tags are counted; where they do not balance, the last closing tag ends the reasoning
/// \li a tag that is never closed takes everything after it
/// \li a closing tag that ends a line, before any opening one, takes everything before it (some
///     servers put the opening tag into the prompt) Reasoning ends only with its own closing tag;
///     tags that share a text are of one kind. An empty tag is ignored. Linear in the size of the
///     text.
[[nodiscard]] thinking_split split_thinking(std::string_view text,
                                            std::span<thinking_tags const> more = {});

/// The answer alone.
[[nodiscard]] std::string strip_thinking(std::string_view text,
                                         std::span<thinking_tags const> more = {});

/// Why tags cannot be used for `http_options::thinking` and `without_thinking` (rejected,
/// `lkt.llm.thinking-tags`): a text that is shorter than 3 bytes or longer than 100, not one line
/// of UTF-8, surrounded by white space, or a fence; or an opening and a closing one (also those
/// that lkt knows), one of which begins with the other.
[[nodiscard]] std::optional<error> thinking_defect(std::span<thinking_tags const> tags);

} // namespace lkt
