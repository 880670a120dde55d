// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/detail/quote.hpp>
#include <lkt/kernel/parameters.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::kernel {

inline error parameter_error(std::string_view text, std::string why) {
    return {condition::rejected,
            "lkt.parameter.text",
            in_backticks(text) + ": " + std::move(why),
            "a parameter is given as NAME=VALUE,VALUE,..., for example BLOCK=32,64,128 or "
            "ROWS=1..8"};
}

/// Gives all values one type, and refuses the same value twice.
inline std::optional<error> settle(std::string_view text, std::vector<parameter_value>& values) {
    bool any_real = false;
    for (parameter_value const& v : values)
        any_real = any_real || std::holds_alternative<double>(v);
    std::unordered_set<std::string> seen;
    for (parameter_value& v : values) {
        if (auto const* i = std::get_if<std::int64_t>(&v); i != nullptr && any_real)
            v = static_cast<double>(*i);
        if (v.index() != values.front().index())
            return parameter_error(text, "the values are of different types");
        if (std::string shown = value_text(v); !seen.insert(shown).second)
            return parameter_error(text, "the value " + shown + " is there twice");
    }
    return {};
}

} // namespace lkt::detail::kernel
