// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/parse_parameter.hpp>

#include <lkt/core/string_tools.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>

namespace lkt::detail::lang {

error parameter_error(std::string_view text, std::string why) {
    return {condition::rejected,
            "lkt.parameter.text",
            in_backticks(text) + ": " + std::move(why),
            "write a parameter as NAME=VALUE,VALUE,..., for example BLOCK=32,64,128 or "
            "ROWS=1..8"};
}

/// The whole of `text` as a number of type T.
template <class T>
std::optional<T> number_from(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return {};
    return value;
}

constexpr std::size_t max_values = 100000;

/// `1..8` and `32..1024..32`; nothing if `text` is no range.
result<bool> read_range(std::string_view text, std::vector<parameter_value>& values) {
    std::size_t const dots = text.find("..");
    if (dots == std::string_view::npos) return false;
    std::string_view last = text.substr(dots + 2), step = "1";
    if (std::size_t const more = last.find(".."); more != std::string_view::npos) {
        step = last.substr(more + 2);
        last = last.substr(0, more);
    }
    auto const from = number_from<std::int64_t>(text.substr(0, dots));
    auto const to = number_from<std::int64_t>(last);
    auto const by = number_from<std::int64_t>(step);
    if (!from || !to || !by)
        return parameter_error(text,
                               "write a range as FIRST..LAST or FIRST..LAST..STEP, with integers");
    if (*by <= 0 || *to < *from)
        return parameter_error(text, "a range must go up, by a step of at least 1");
    std::uint64_t const width = static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(*from);
    if (width / static_cast<std::uint64_t>(*by) >= max_values)
        return parameter_error(text, "at most 100000 values are read");
    for (std::uint64_t i = 0; i <= width / static_cast<std::uint64_t>(*by); ++i)
        values.emplace_back(*from + static_cast<std::int64_t>(i) * *by);
    return true;
}

result<parameter_value> read_value(std::string_view text) {
    if (text.empty()) return parameter_error(text, "a value is missing");
    if (text == "true" || text == "True") return parameter_value(true);
    if (text == "false" || text == "False") return parameter_value(false);
    if (auto const i = number_from<std::int64_t>(text)) return parameter_value(*i);
    if (auto const d = number_from<double>(text); d && *d - *d == 0) return parameter_value(*d);
    bool const quotes = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                        text.back() == text.front();
    if (quotes) {
        std::string_view const inner = text.substr(1, text.size() - 2);
        if (inner.find_first_of("\\\r\n") != std::string_view::npos ||
            inner.find(text.front()) != std::string_view::npos)
            return parameter_error(text, "quoted text has no quotes, backslashes or line ends");
        return parameter_value(std::string(inner));
    }
    if (is_identifier(text)) return parameter_value(std::string(text));
    return parameter_error(text, "this is neither a number nor a word; quote text");
}

/// Splits at commas outside of quotes.
std::vector<std::string_view> values_of(std::string_view text) {
    std::vector<std::string_view> parts;
    char quote = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && quote == 0)) {
            parts.push_back(trimmed(text.substr(start, i - start)));
            start = i + 1;
        } else if (quote != 0) {
            if (text[i] == quote) quote = 0;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        }
    }
    return parts;
}

} // namespace lkt::detail::lang

namespace lkt {

std::optional<error> settle_values(std::string_view text, std::vector<parameter_value>& values) {
    bool any_real = false;
    for (parameter_value const& v : values)
        any_real = any_real || std::holds_alternative<double>(v);
    std::unordered_set<std::string> seen;
    for (parameter_value& v : values) {
        if (auto const* i = std::get_if<std::int64_t>(&v); i != nullptr && any_real)
            v = static_cast<double>(*i);
        if (v.index() != values.front().index())
            return detail::lang::parameter_error(text, "the values are of different types");
        if (std::string shown = value_text(v); !seen.insert(shown).second)
            return detail::lang::parameter_error(text, "the value " + shown + " is given twice");
    }
    return {};
}

result<tunable_parameter> parse_parameter(std::string_view text) {
    namespace dl = detail::lang;
    std::size_t const equals = text.find('=');
    if (equals == std::string_view::npos) return dl::parameter_error(text, "there is no =");
    tunable_parameter p{std::string(trimmed(text.substr(0, equals))), {}};
    if (!is_identifier(p.name))
        return dl::parameter_error(text, in_backticks(p.name, 40) + " is not a name");
    for (std::string_view const part : dl::values_of(text.substr(equals + 1))) {
        auto const range = dl::read_range(part, p.values);
        if (!range) return range.error();
        if (!*range) {
            auto value = dl::read_value(part);
            if (!value) return value.error();
            p.values.push_back(std::move(*value));
        }
        if (p.values.size() > dl::max_values)
            return dl::parameter_error(text, "at most 100000 values are read");
    }
    if (auto e = settle_values(text, p.values)) return *e;
    return p;
}

} // namespace lkt
