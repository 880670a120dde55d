// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lkt {

namespace detail::plain {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The character of a well-formed sequence of `length` bytes.
inline char32_t code_point(std::string_view text, std::size_t at, std::size_t length) {
    auto const byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
    };
    if (length == 1) return byte(0);
    char32_t value = byte(0) & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3F);
    return value;
}

struct range {
    char32_t first, last;
};

/// Controls, and what Unicode calls format characters or draws as nothing.
inline constexpr range hidden_ranges[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
    {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
    {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x2800, 0x2800},   {0x3164, 0x3164},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x13455}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0x10FFFF}};

inline bool is_hidden(char32_t c) {
    return std::any_of(std::begin(hidden_ranges), std::end(hidden_ranges), [&](range const& r) {
        return c >= r.first && c <= r.last;
    });
}

inline void put_hex(std::string& out, char32_t value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        out += "0123456789abcdef"[value >> shift & 15];
}

/// As a programmer writes the character.
inline void put_named(std::string& out, char32_t c) {
    out += c < 0x80 ? "\\x" : c < 0x10000 ? "\\u" : "\\U";
    put_hex(out, c, c < 0x80 ? 2 : c < 0x10000 ? 4 : 8);
}

/// As JSON writes it.
inline void put_escaped(std::string& out, char32_t c) {
    auto const unit = [&](char32_t u) {
        out += "\\u";
        put_hex(out, u, 4);
    };
    if (c < 0x10000) return unit(c);
    unit(0xD800 + ((c - 0x10000) >> 10));
    unit(0xDC00 + ((c - 0x10000) & 0x3FF));
}

/// Copies the stretch that needs no look; false at the end of the text.
template <class Fine>
bool copy_plain(std::string& out, std::string_view text, std::size_t& at, Fine fine) {
    auto const from = at;
    while (at < text.size() && fine(text[at])) ++at;
    out.append(text, from, at - from);
    return at < text.size();
}

inline std::string shown(std::string_view text, std::size_t most, bool one_line) {
    constexpr std::string_view dots = "...";
    std::string out;
    out.reserve(std::min(text.size(), most));
    std::size_t fits = 0; // of `out`, with the dots behind it
    for (std::size_t at = 0; at < text.size();) {
        auto const length = utf8_length(text, at);
        auto const c = length == 0 ? U'\uFFFD' : code_point(text, at, length);
        if (out.size() + dots.size() <= most) fits = out.size();
        if (length == 0)
            out += replacement;
        else if (c == '\n' || c == '\t')
            out += one_line ? ' ' : static_cast<char>(c);
        else if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n')
            ; // the line feed is enough
        else if (is_hidden(c))
            put_named(out, c);
        else
            out.append(text, at, length);
        at += std::max<std::size_t>(length, 1);
        if (out.size() > most) {
            out.resize(fits);
            return out + std::string(dots.substr(0, most - std::min(most, fits)));
        }
    }
    return out;
}

} // namespace detail::plain

std::string_view cut_at_character(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    // Back to the first byte of the character that the cut would go through.
    std::size_t begin = most;
    while (begin > 0 && most - begin < 3 &&
           (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
        --begin;
    auto const length = utf8_length(text, begin);
    return text.substr(0, length > most - begin ? begin : most);
}

std::string well_formed_utf8(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    auto const ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    for (std::size_t at = 0; detail::plain::copy_plain(clean, text, at, ascii);) {
        auto const length = utf8_length(text, at);
        if (length > 0)
            clean.append(text, at, length);
        else
            clean += detail::plain::replacement;
        at += std::max<std::size_t>(length, 1);
    }
    return clean;
}

std::string plain_text(std::string_view text, std::size_t most) {
    return detail::plain::shown(text, most, false);
}

std::string plain_line(std::string_view text, std::size_t most) {
    return detail::plain::shown(text, most, true);
}

std::string plain_json(std::string json) {
    using namespace detail::plain;
    // A serializer has escaped the controls below U+0020; line feeds between values are no others.
    auto const fine = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
    if (std::all_of(json.begin(), json.end(), fine)) return json;
    std::string out;
    out.reserve(json.size() + json.size() / 8);
    for (std::size_t at = 0; copy_plain(out, json, at, fine);) {
        auto const length = utf8_length(json, at);
        auto const c = length == 0 ? U'\uFFFD' : code_point(json, at, length);
        if (length == 0)
            out += replacement;
        else if (is_hidden(c))
            put_escaped(out, c);
        else
            out.append(json, at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

} // namespace lkt
