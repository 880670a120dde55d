// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/json_keys.hpp>

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace lkt {

namespace detail::json_keys {

/// The four digits of an escape; nothing where they are none.
std::optional<std::uint32_t> code_unit(std::string_view text) {
    std::uint32_t value = 0;
    if (text.size() < 4) return std::nullopt;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + 4, value, 16);
    return failed == std::errc() && end == text.data() + 4 ? std::optional(value) : std::nullopt;
}

void append_utf8(std::string& to, std::uint32_t c) {
    auto const tail = [&](int shift) { to += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
    if (c < 0x80) {
        to += static_cast<char>(c);
    } else if (c < 0x800) {
        to += static_cast<char>(0xc0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        to += static_cast<char>(0xe0 | (c >> 12));
        tail(6), tail(0);
    } else {
        to += static_cast<char>(0xf0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

/// What stands between quotes, its escapes read.
std::string meant(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            name += text[i];
            continue;
        }
        static constexpr std::string_view letters = "bfnrt", stands_for = "\b\f\n\r\t";
        char const c = text[++i];
        if (auto const known = letters.find(c); known != letters.npos) {
            name += stands_for[known];
        } else if (auto unit = c == 'u' ? code_unit(text.substr(i + 1)) : std::nullopt) {
            i += 4;
            if (*unit >= 0xd800 && *unit < 0xdc00 && text.substr(i + 1).starts_with("\\u"))
                if (auto const low = code_unit(text.substr(i + 3)); low && *low >= 0xdc00) {
                    unit = 0x10000 + ((*unit - 0xd800) << 10) + ((*low - 0xdc00) & 0x3ff);
                    i += 6;
                }
            append_utf8(name, *unit);
        } else {
            name += c;
        }
    }
    return name;
}

} // namespace detail::json_keys

std::optional<repeated_key> find_repeated_key(std::string_view json) {
    struct open_value {
        bool object;
        std::set<std::string, std::less<>> names;
    };
    std::vector<open_value> open;
    bool name_next = false; // a string that comes now is one
    for (std::size_t i = 0; i < json.size(); ++i) {
        char const c = json[i];
        if (c == '{' || c == '[') {
            open.push_back({c == '{', {}});
            name_next = c == '{';
        } else if (c == '}' || c == ']') {
            if (!open.empty()) open.pop_back();
            name_next = false;
        } else if (c == ',') {
            name_next = !open.empty() && open.back().object;
        } else if (c == '"') {
            std::size_t const begin = i + 1;
            for (++i; i < json.size() && json[i] != '"'; ++i)
                if (json[i] == '\\') ++i;
            if (!name_next || open.empty()) continue;
            name_next = false;
            auto const end = std::min(i, json.size());
            auto name = detail::json_keys::meant(json.substr(begin, end - begin));
            auto const [place, fresh] = open.back().names.insert(std::move(name));
            if (!fresh) return repeated_key{*place, begin - 1};
        }
    }
    return std::nullopt;
}

std::optional<std::string> describe_repeated_key(std::string_view json) {
    auto const twice = find_repeated_key(json);
    if (!twice) return std::nullopt;
    return line_and_column(json, twice->at) + ": the field " + plain_line(twice->name, 60) +
           " occurs twice in one object";
}

std::string line_and_column(std::string_view text, std::size_t at) {
    std::string_view const before = text.substr(0, std::min(at, text.size()));
    auto const line = std::count(before.begin(), before.end(), '\n') + 1;
    std::size_t const newline = before.rfind('\n');
    std::size_t const column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

} // namespace lkt
