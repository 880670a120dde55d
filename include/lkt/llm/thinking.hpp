// SPDX-License-Identifier: BSL-1.0
// Reasoning that a model writes into its answer between <think> tags.
#pragma once

#include <lkt/config.hpp>

#include <string>
#include <string_view>

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
[[nodiscard]] thinking_split split_thinking(std::string_view text);

/// The answer alone.
[[nodiscard]] std::string strip_thinking(std::string_view text);

} // namespace lkt
