// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace lkt::detail {

/// Lines after the first are moved to the right; no line ends in blanks.
[[nodiscard]] inline std::string indented(std::string_view text, std::size_t by) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        std::size_t const end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
        if (at > 0) out += '\n';
        if (at > 0 && !line.empty()) out.append(by, ' ');
        out += line;
        at = end + 1;
    }
    return out;
}

[[nodiscard]] inline std::string without_last_newline(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

[[nodiscard]] inline std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

/// The first `count` lines, and how many more there are.
[[nodiscard]] inline std::string first_lines(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    for (std::size_t line = 0; line < count; ++line) {
        end = text.find('\n', end);
        if (end == std::string_view::npos) return std::string(text);
        ++end;
    }
    auto const more = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
    if (end == text.size()) return without_last_newline(std::string(text));
    return std::string(text.substr(0, end)) + "... " + std::to_string(more + 1) + " more lines";
}

/// Breaks lines at blanks so that they have at most `width` characters where that is possible.
[[nodiscard]] inline std::string wrapped(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = std::min(text.find_first_of(" \n", at), text.size());
        std::size_t const word = end - at;
        if (column > 0 && column + 1 + word > width) {
            out += '\n';
            column = 0;
        }
        if (column > 0) out += ' ';
        column += word + (column > 0 ? 1 : 0);
        out += text.substr(at, word);
        if (end < text.size() && text[end] == '\n') {
            out += '\n';
            column = 0;
        }
        at = end + 1;
    }
    return out;
}

/// `4.91x`
[[nodiscard]] inline std::string times(double factor) {
    char text[32];
    std::snprintf(text, sizeof text, factor < 100 ? "%.2fx" : "%.0fx", factor);
    return text;
}

} // namespace lkt::detail
