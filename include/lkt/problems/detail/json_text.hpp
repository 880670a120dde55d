// SPDX-License-Identifier: BSL-1.0
// JSON that people read and change. Needs Boost.JSON.
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/problems/detail/json_fields.hpp>

#include <boost/json/serialize.hpp>

#include <cstddef>
#include <string>

namespace lkt::detail::problems {

/// On one line, as people write it.
inline std::string line_of(json::value const& value) {
    std::string out;
    auto const join = [&](std::string const& item) { out += (out.empty() ? "" : ", ") + item; };
    if (auto const* object = value.if_object()) {
        for (auto const& [key, member] : *object)
            join(json::serialize(json::string(key)) + ": " + line_of(member));
        return "{" + out + "}";
    }
    if (auto const* array = value.if_array()) {
        for (json::value const& item : *array) join(line_of(item));
        return "[" + out + "]";
    }
    return value.is_double() ? real_text(value.get_double()) : json::serialize(value);
}

/// A line for each field; what is short stays on one.
inline void print_value(std::string& out, json::value const& value, std::size_t depth) {
    constexpr std::size_t line = 100;
    std::string const flat = line_of(value);
    bool const nested = value.is_object() || value.is_array();
    if (!nested || (depth > 1 && flat.size() + 4 * depth < line)) {
        out += flat;
        return;
    }
    std::string const indent(4 * (depth + 1), ' ');
    bool first = true;
    out += value.is_object() ? '{' : '[';
    auto const begin = [&] {
        out += (first ? "\n" : ",\n") + indent;
        first = false;
    };
    if (auto const* object = value.if_object())
        for (auto const& [key, member] : *object) {
            begin();
            out += json::serialize(json::string(key)) + ": ";
            print_value(out, member, depth + 1);
        }
    else
        for (json::value const& item : value.get_array()) {
            begin();
            print_value(out, item, depth + 1);
        }
    out += "\n" + std::string(4 * depth, ' ') + (value.is_object() ? '}' : ']');
}

} // namespace lkt::detail::problems
