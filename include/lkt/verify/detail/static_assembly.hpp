// SPDX-License-Identifier: BSL-1.0
// What the strings of inline assembly say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail::statics {

/// The characters that a string literal stands for. Escapes that spell a character by its number
/// are read too: they could spell any word.
[[nodiscard]] inline std::string meaning_of_string(std::string_view literal) {
    auto const quote = literal.find('"');
    if (quote == literal.npos) return {};
    auto const last = literal.rfind('"');
    auto body = literal.substr(quote + 1, last > quote ? last - quote - 1 : 0);
    if (literal.substr(0, quote).ends_with('R')) {
        auto const open = body.find('(');
        auto const close = body.rfind(')');
        if (open == body.npos || close == body.npos || close < open) return {};
        return std::string(body.substr(open + 1, close - open - 1));
    }
    std::string text;
    auto const digit = [](char c, unsigned base) -> int {
        int const value = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : 99;
        return value < static_cast<int>(base) ? value : -1;
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '\\' || i + 1 >= body.size()) {
            text += body[i];
            continue;
        }
        char const c = body[++i];
        bool const hex = c == 'x' || c == 'u' || c == 'U';
        if (hex || digit(c, 8) >= 0) {
            unsigned value = 0;
            unsigned const base = hex ? 16 : 8;
            for (i += hex ? 1 : 0; i < body.size() && digit(body[i], base) >= 0; ++i)
                value = value * base + static_cast<unsigned>(digit(body[i], base));
            --i;
            text += static_cast<char>(value & 0x7f);
        } else {
            text += c == 'n' ? '\n' : c == 't' || c == 'r' || c == 'v' || c == 'f' ? ' ' : c;
        }
    }
    return text;
}

} // namespace lkt::detail::statics
