// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/fence_line.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

[[nodiscard]] constexpr bool is_key_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '*';
}

/// Error texts of servers quote the key that they refuse, and URLs carry keys. What looks like one
/// is replaced: a word with a well-known beginning, and what follows `Bearer `, `key=` or `key:`.
[[nodiscard]] inline std::string without_keys(std::string_view text) {
    static constexpr std::array<std::string_view, 7> beginnings{
        "sk-", "sk_", "gsk_", "xai-", "hf_", "AIza", "pk-"};
    static constexpr std::array<std::string_view, 5> announcements{
        "bearer", "key=", "key:", "token=", "token:"};
    std::string clean, lower;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_key_letter(text[at])) {
            char const c = text[at++];
            clean += c;
            lower += c;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_key_letter(text[end])) ++end;
        auto const word = text.substr(at, end - at);
        bool secret = false;
        for (auto const start : beginnings)
            secret = secret || (word.size() >= 12 && word.starts_with(start));
        auto before = std::string_view(lower);
        while (before.ends_with(' ') || before.ends_with('"')) before.remove_suffix(1);
        for (auto const announced : announcements)
            secret = secret || (word.size() >= 6 && before.ends_with(announced));
        if (secret)
            clean += "[key left out]";
        else
            clean += word;
        for (char const c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        at = end;
    }
    return clean;
}

} // namespace lkt::detail
