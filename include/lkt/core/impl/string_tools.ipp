// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <charconv>

namespace lkt {

std::string in_backticks(std::string_view text, std::size_t most) {
    return "`" + plain_line(text, most) + "`";
}

std::string joined(std::span<std::string const> words, std::string_view between) {
    std::string text;
    for (std::string const& word : words) {
        if (&word != words.data()) text += between;
        text += word;
    }
    return text;
}

std::string shell_word(std::string_view text) {
    auto const plain = [](char c) {
        return static_cast<unsigned char>(c) >= 0x80 ||
               std::string_view("-./:,@%+=").find(c) != std::string_view::npos ||
               is_identifier(std::string{'_', c});
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
    std::string word = "'";
    for (char const c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string real_text(double value) {
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, value);
    std::string shown(text, end.ptr);
    if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
    return shown;
}

} // namespace lkt
