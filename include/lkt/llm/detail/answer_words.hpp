// SPDX-License-Identifier: BSL-1.0
// What schemas and faults say of an answer's parts.
#pragma once

#include <lkt/llm/detail/answer_shape.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail {

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// A JSON string.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out.append({'\\', c});
        else if (c == '\n')
            out += "\\n";
        else if (byte < 0x20)
            out.append("\\u00").append({digits[byte >> 4], digits[byte & 15]});
        else
            out += c;
    }
    return out += '"';
}

/// The shortest decimal text; whole numbers without a point or an exponent.
[[nodiscard]] inline std::string number_words(double value) {
    char text[64];
    bool const whole = std::abs(value) < 9007199254740992.0 && value == std::trunc(value);
    auto const end = whole ? std::to_chars(text, text + sizeof text, static_cast<long long>(value))
                           : std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

/// `from 1 to 64`, `at least 1`, `at most 64`.
[[nodiscard]] inline std::string range_words(range bound) {
    bool const low = std::isfinite(bound.min), high = std::isfinite(bound.max);
    if (low && high) {
        if (bound.min == bound.max) return number_words(bound.min);
        return "from " + number_words(bound.min) + " to " + number_words(bound.max);
    }
    if (low) return "at least " + number_words(bound.min);
    return high ? "at most " + number_words(bound.max) : "any";
}

/// `1 to 5 items`, `at least 1 item`, `exactly 3 items`; empty where there is no bound.
[[nodiscard]] inline std::string
count_words(std::size_t least, std::size_t most, std::string_view what) {
    auto const many = [&](std::size_t n) {
        return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
    };
    if (least == most) return "exactly " + many(most);
    if (most < no_limit)
        return least > 0 ? std::to_string(least) + " to " + many(most) : "at most " + many(most);
    return least > 0 ? "at least " + many(least) : std::string();
}

/// A note's text, and its bounds in words.
[[nodiscard]] inline std::string member_words(answer_member const& member) {
    answer_note const& note = member.note;
    std::string bounds;
    auto const add = [&](std::string_view what) {
        if (what.empty()) return;
        if (!bounds.empty()) bounds += ", ";
        bounds += what;
    };
    if (note.has_items) add(count_words(note.items.min, note.items.max, "item"));
    answer_shape const* inner = member.shape;
    while (inner->kind == shape_kind::optional) inner = inner->element;
    bool const many = inner->element != nullptr;
    if (note.has_range) add((many ? "each " : "") + range_words(note.range));
    if (note.has_length)
        add((many ? "each " : "") + count_words(note.length.min, note.length.max, "character"));
    if (bounds.empty()) return std::string(note.text);
    if (note.text.empty()) return bounds;
    return std::string(note.text) + " (" + bounds + ")";
}

/// `a, b, c`.
[[nodiscard]] inline std::string listed(std::span<std::string_view const> names) {
    std::string out;
    for (std::string_view const name : names) (out += out.empty() ? "" : ", ") += name;
    return out;
}

/// `"a"`, `"a" or "b"`, `"a", "b" or "c"`.
[[nodiscard]] inline std::string choice_words(std::span<std::string_view const> names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
        out += quoted(names[i]);
    }
    return out;
}

/// Letters that have to be inserted, removed or replaced to make one of the other.
[[nodiscard]] inline std::size_t letters_apart(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t corner = row[0];
        row[0] = i + 1;
        for (std::size_t k = 0; k < b.size(); ++k) {
            std::size_t const replaced = corner + (a[i] == b[k] ? 0 : 1);
            corner = row[k + 1];
            row[k + 1] = std::min({corner + 1, row[k] + 1, replaced});
        }
    }
    return row.back();
}

/// The name that `given` was meant to be, or nothing.
[[nodiscard]] inline std::string_view meant(std::string_view given,
                                            std::span<std::string_view const> names) {
    std::string_view best;
    if (given.size() > 64) return best;
    std::size_t least = 1 + std::max<std::size_t>(1, (given.size() + 1) / 3);
    for (std::string_view const name : names)
        if (auto const apart = letters_apart(given, name); apart < least) {
            least = apart;
            best = name;
        }
    return best;
}

} // namespace lkt::detail
