// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7), 0 where there is none.
[[nodiscard]] constexpr std::size_t sequence_length(std::string_view text, std::size_t at) {
    auto const byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    auto const within = [&](std::size_t i, unsigned low, unsigned high) {
        return byte(i) >= low && byte(i) <= high;
    };
    unsigned const first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    // The second byte keeps out what is too long, surrogates, and all beyond U+10FFFF.
    unsigned const low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned const high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (!within(1, low, high)) return 0;
    if (first < 0xE0) return 2;
    if (!within(2, 0x80, 0xBF)) return 0;
    if (first < 0xF0) return 3;
    return within(3, 0x80, 0xBF) ? 4 : 0;
}

/// `text` with U+FFFD in the place of each byte that is not UTF-8: compilers' logs hold such bytes,
/// and JSON cannot.
[[nodiscard]] inline std::string well_formed(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        std::size_t plain = at;
        while (plain < text.size() && static_cast<unsigned char>(text[plain]) < 0x80) ++plain;
        clean.append(text, at, plain - at);
        at = plain;
        if (at == text.size()) break;
        if (auto const n = sequence_length(text, at)) {
            clean.append(text, at, n);
            at += n;
        } else {
            clean += "\xEF\xBF\xBD";
            ++at;
        }
    }
    return clean;
}

} // namespace lkt::detail
