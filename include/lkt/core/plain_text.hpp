// SPDX-License-Identifier: BSL-1.0
// Text that others wrote (models, servers, compilers, files), as terminals, logs and JSON can take
// it: valid UTF-8, and nothing in it that a reader would not see.
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace lkt {

/// No bound on a length.
inline constexpr std::size_t any_length = static_cast<std::size_t>(-1);

/// Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7), 0 where there is none.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text, std::size_t at) {
    auto const byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    auto const within = [&](std::size_t i, unsigned low, unsigned high) {
        return byte(i) >= low && byte(i) <= high;
    };
    if (at >= text.size()) return 0;
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

/// The beginning of `text`, at most `most` bytes of it, never part of a character.
[[nodiscard]] std::string_view cut_at_character(std::string_view text, std::size_t most);

/// `text` with U+FFFD in the place of each byte that is not UTF-8; all else stays. What keeps its
/// meaning only byte by byte (a kernel, a reply) goes into JSON so.
[[nodiscard]] std::string well_formed_utf8(std::string_view text);

/// `text` for a reader. Bytes that are not UTF-8 become U+FFFD. Characters that control a terminal
/// or are invisible become words: `\x1b` for the escape, `\u202e` for an override of the writing
/// direction; so do DEL, C1 controls, isolates, joiners, selectors of variants, tags. Line feeds
/// and tabs stay, and the carriage return before a line feed is removed. A text of more than `most`
/// bytes is cut at a character and ends in `...`. Plain text is returned unchanged, so the function
/// may be applied twice.
[[nodiscard]] std::string plain_text(std::string_view text, std::size_t most = any_length);

/// The same on one line: line feeds and tabs become spaces.
[[nodiscard]] std::string plain_line(std::string_view text, std::size_t most = any_length);

/// JSON for output: hidden characters, as in `plain_text`, are written as ASCII escapes, so that
/// readers get the same values back; bytes that are not UTF-8 become U+FFFD. All of these are in
/// strings: the rest of JSON is ASCII.
[[nodiscard]] std::string plain_json(std::string json);

} // namespace lkt
