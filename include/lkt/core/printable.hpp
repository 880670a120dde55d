// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace lkt {

/// Untrusted text for a message: cut short, and without characters that could steer a terminal.
inline std::string printable(std::string_view text, std::size_t limit = 80) {
    constexpr char const* hex = "0123456789abcdef";
    std::string shown;
    for (char const c : text.substr(0, limit)) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '\n' || c == '\t' || c == '\r') {
            shown += ' ';
        } else if (byte < 0x20 || byte == 0x7f) {
            shown += "\\x";
            shown += hex[byte >> 4];
            shown += hex[byte & 15];
        } else {
            shown += c;
        }
    }
    if (text.size() > limit) {
        // Not within a UTF-8 sequence.
        while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80)
            shown.pop_back();
        if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xc0) shown.pop_back();
        shown += "...";
    }
    return shown;
}

inline std::string in_backticks(std::string_view text, std::size_t limit = 80) {
    return "`" + printable(text, limit) + "`";
}

/// Shortest text that reads back as the same double, and looks like one: `2.0`, not `2`.
inline std::string real_text(double value) {
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, value);
    std::string shown(text, end.ptr);
    if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
    return shown;
}

inline bool is_identifier(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    for (char const c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    return true;
}

} // namespace lkt
