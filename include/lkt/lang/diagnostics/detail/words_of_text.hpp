// SPDX-License-Identifier: BSL-1.0
// Words and lines, as messages of compilers are compared with a kernel's text.
#pragma once

#include <lkt/config.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace lkt::detail::diagnostics {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Of identifiers and numbers; all that is not ASCII counts as letters.
inline bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

/// The length of a quotation mark that GCC writes in UTF-8, else 0.
inline std::size_t quotation_mark(std::string_view text, std::size_t at) {
    for (std::string_view const mark : {"\u2018", "\u2019", "\u201c", "\u201d"})
        if (text.substr(at).starts_with(mark)) return mark.size();
    return 0;
}

/// The end of the word that begins at `at`; `at` where none does.
inline std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at < text.size() && in_word(text[at]) && quotation_mark(text, at) == 0) ++at;
    return at;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace lkt::detail::diagnostics
