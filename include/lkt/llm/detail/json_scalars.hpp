// SPDX-License-Identifier: BSL-1.0
// Numbers and names in JSON as models write them.
#pragma once

#include <lkt/llm/detail/answer_shape.hpp>
#include <lkt/llm/detail/answer_words.hpp>
#include <lkt/llm/detail/excerpt.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace lkt::detail {

/// A whole number of 65 bits: that of either JSON type.
struct whole_number {
    std::uint64_t bits = 0;
    bool negative = false;

    [[nodiscard]] bool fits(answer_shape const& shape) const {
        return negative ? static_cast<std::int64_t>(bits) >= shape.min : bits <= shape.max;
    }
    [[nodiscard]] double value() const {
        return negative ? static_cast<double>(static_cast<std::int64_t>(bits))
                        : static_cast<double>(bits);
    }
};

/// A value as a message shows it.
[[nodiscard]] inline std::string shown_json(boost::json::value const& json) {
    if (auto const* list = json.if_array()) return list->empty() ? "an empty list" : "a list";
    if (json.is_object()) return "an object";
    if (auto const* text = json.if_string()) return '"' + excerpt(*text, 0, 40) + '"';
    if (auto const* number = json.if_double()) return number_words(*number);
    return boost::json::serialize(json);
}

[[nodiscard]] inline std::optional<whole_number> whole_of(boost::json::value const& json) {
    if (auto const* i = json.if_int64())
        return whole_number{static_cast<std::uint64_t>(*i), *i < 0};
    if (auto const* u = json.if_uint64()) return whole_number{*u, false};
    auto const* d = json.if_double();
    if (!d || *d != std::trunc(*d)) return std::nullopt;
    if (*d < -9223372036854775808.0 || *d >= 18446744073709551616.0) return std::nullopt;
    if (*d < 0)
        return whole_number{static_cast<std::uint64_t>(static_cast<std::int64_t>(*d)), true};
    return whole_number{static_cast<std::uint64_t>(*d), false};
}

/// The number that a text writes, and nothing else.
[[nodiscard]] inline std::optional<boost::json::value> number_in(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    auto const all_of_it = [&](auto value) -> std::optional<boost::json::value> {
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return boost::json::value(value);
    };
    if (auto whole = all_of_it(std::int64_t{})) return whole;
    if (auto whole = all_of_it(std::uint64_t{})) return whole;
    return all_of_it(double{});
}

/// Letters and digits, in lower case.
[[nodiscard]] inline std::string folded(std::string_view name) {
    std::string out;
    for (char const c : name) {
        if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c - 'A' + 'a');
        else if (c != '_' && c != '-' && c != ' ')
            out += c;
    }
    return out;
}

} // namespace lkt::detail
