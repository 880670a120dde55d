// SPDX-License-Identifier: BSL-1.0
// Texts of servers, compared without regard to case.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lkt::detail::http {

[[nodiscard]] constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) { return lower(c); });
    return small;
}

/// Whether `text` holds one of `phrases`, which are in lower case.
[[nodiscard]] inline bool says(std::string_view text,
                               std::initializer_list<std::string_view> phrases) {
    std::string const small = lower(text);
    return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
        return small.find(phrase) != small.npos;
    });
}

} // namespace lkt::detail::http
