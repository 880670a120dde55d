// SPDX-License-Identifier: BSL-1.0
// What the strings of inline assembly say.
#pragma once

#include <lkt/verify/detail/static_words.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// The first words of the instructions in `assembly`, in order.
[[nodiscard]] inline std::vector<std::string_view> instructions_of(std::string_view assembly) {
    std::vector<std::string_view> found;
    auto const blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t at = 0;
    bool begins = true; // an instruction may begin here
    while (at < assembly.size()) {
        char const c = assembly[at];
        if (assembly.substr(at, 2) == "//") {
            while (at < assembly.size() && assembly[at] != '\n') ++at;
        } else if (assembly.substr(at, 2) == "/*") {
            auto const end = assembly.find("*/", at + 2);
            at = end == assembly.npos ? assembly.size() : end + 2;
        } else if (c == ';' || c == '{' || c == '}' || c == '\n') {
            // Braces enclose operands too, so only at an instruction's beginning is one a block.
            if (c == ';' || (begins && c != '\n')) begins = true;
            ++at;
        } else if (blank(c) || !begins) {
            ++at;
        } else if (c == '@') { // a predicate
            while (at < assembly.size() && !blank(assembly[at])) ++at;
        } else {
            std::size_t end = at;
            while (end < assembly.size() && !blank(assembly[end]) && assembly[end] != ';' &&
                   assembly[end] != '\n' && assembly[end] != '{' &&
                   (assembly[end] != ':' || assembly.substr(end, 2) == "::"))
                end += assembly[end] == ':' ? 2 : 1;             // `L2::evict_last` is no label
            if (end < assembly.size() && assembly[end] == ':') { // a label
                at = end + 1;
                continue;
            }
            found.push_back(assembly.substr(at, std::max(end, at + 1) - at));
            at = std::max(end, at + 1);
            begins = false;
        }
    }
    return found;
}

[[nodiscard]] inline bool instruction_allowed(std::string_view word) {
    if (word == ".reg" || word == ".pragma") return true;
    auto const name = word.substr(0, word.find('.'));
    return std::find(allowed_instructions.begin(), allowed_instructions.end(), name) !=
           allowed_instructions.end();
}

} // namespace lkt::detail::statics
