// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lkt {

[[nodiscard]] constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// Without white space at both ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Untrusted text for a message, on one line and at most `most` bytes of it.
[[nodiscard]] std::string in_backticks(std::string_view text, std::size_t most = 80);

/// `a, b, c` of three words and `, `.
[[nodiscard]] std::string joined(std::span<std::string const> words, std::string_view between);

/// `text` as one word of a command line that a reader may paste into a shell: in single quotes
/// where a shell would split or expand it.
[[nodiscard]] std::string shell_word(std::string_view text);

/// Shortest text that reads back as the same double, and looks like one: `2.0`, not `2`.
[[nodiscard]] std::string real_text(double value);

[[nodiscard]] constexpr bool is_identifier(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    for (char const c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    return true;
}

} // namespace lkt
