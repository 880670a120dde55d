// SPDX-License-Identifier: BSL-1.0
// Pieces of untrusted text in messages.
#pragma once

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// At most `length` bytes from `at` on, whole UTF-8 characters, with "..." where something was cut,
/// on one line and without characters that could steer a terminal.
[[nodiscard]] inline std::string
excerpt(std::string_view text, std::size_t at, std::size_t length) {
    auto const continues = [&](std::size_t i) {
        return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    };
    at = std::min(at, text.size());
    while (at > 0 && continues(at)) --at;
    std::size_t end = std::min(text.size(), at + length);
    while (end > at && continues(end)) --end;
    std::string shown = at > 0 ? "..." : "";
    for (char const c : well_formed_utf8(text.substr(at, end - at))) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '\n')
            shown += "\\n";
        else if (c == '\t')
            shown += ' ';
        else if (byte < 0x20 || byte == 0x7F)
            shown += '?';
        else
            shown += c;
    }
    if (end < text.size()) shown += "...";
    return shown;
}

} // namespace lkt::detail
