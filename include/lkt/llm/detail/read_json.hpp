// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/json_keys.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

/// What is wrong with a JSON text, and where (lines and columns from 1, columns in bytes).
struct json_fault {
    std::string what;
    std::size_t line = 0, column = 0; ///< 0 where it has no place
    bool incomplete = false;          ///< it is the beginning of a JSON text
    std::string near_text; ///< what stands there, cut short; empty at the end of the text

    /// `one_line`: the text is a single line, of which the reader knows the number.
    [[nodiscard]] std::string words(bool one_line = false) const {
        if (line == 0) return what;
        return what + (one_line ? ", " : " at line " + std::to_string(line) + ", ") + "column " +
               std::to_string(column) +
               (near_text.empty() ? std::string() : ", before `" + near_text + "`");
    }
};

struct json_reading {
    std::size_t depth = 32;
    bool tolerant = false;     ///< comments and trailing commas are let pass
    bool unique_names = false; ///< a name that an object has twice is a fault: files of users
};

/// An object, or an array; not `{ int x; }`.
[[nodiscard]] inline bool begins_like_json(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[')) return true;
    if (!text.starts_with('{')) return false;
    text = trimmed(text.substr(1));
    return text.starts_with('"') || text.starts_with('}') || text.starts_with("//") ||
           text.starts_with("/*");
}

/// A number too large for a double is read as infinity, which JSON cannot say again.
[[nodiscard]] inline bool all_finite(boost::json::value const& v) {
    auto const check = [](auto const& item) { return all_finite(item); };
    if (auto const* array = v.if_array()) return std::all_of(array->begin(), array->end(), check);
    if (auto const* object = v.if_object())
        return std::all_of(object->begin(), object->end(), [](auto const& field) {
            return all_finite(field.value());
        });
    return !v.is_double() || std::isfinite(v.get_double());
}

/// Notes where in the text the fault is.
inline void locate(std::string_view text, std::size_t at, json_fault& fault) {
    at = at < text.size() ? at : text.size();
    auto const before = text.substr(0, at);
    auto const newline = before.rfind('\n');
    fault.line = 1;
    for (char const c : before) fault.line += c == '\n' ? 1u : 0u;
    fault.column = at - (newline == before.npos ? 0 : newline + 1) + 1;
    fault.near_text = excerpt(line_at(text, at).text, 0, 40);
}

/// The value lies in `memory`, which must outlive it; by default each part of it is allocated.
[[nodiscard]] inline std::optional<boost::json::value>
read_json(std::string_view text,
          json_reading how,
          json_fault& fault,
          boost::json::storage_ptr memory = {}) {
    boost::json::parse_options options;
    options.max_depth = how.depth;
    options.allow_comments = how.tolerant;
    options.allow_trailing_commas = how.tolerant;
    unsigned char scratch[1024];
    boost::json::parser parser({}, options, scratch);
    parser.reset(std::move(memory));
    boost::json::error_code ec;
    std::size_t at = parser.write_some(text.data(), text.size(), ec);
    if (!ec) {
        // What follows the value may be a comment too, which the parser has taken already.
        while (at < text.size() && is_blank(text[at])) ++at;
        if (at == text.size()) {
            auto value = parser.release();
            auto const twice = how.unique_names ? find_repeated_key(text) : std::nullopt;
            if (twice) {
                fault.what =
                    "the name \"" + excerpt(twice->name, 0, 40) + "\" occurs twice in one object";
                locate(text, twice->at, fault);
                return std::nullopt;
            }
            if (all_finite(value)) return value;
            fault.what = "a number in it is too large";
            return std::nullopt;
        }
        ec = boost::json::error::extra_data;
    }
    if (ec == boost::json::error::incomplete) {
        fault.what = "it ends too early";
        fault.incomplete = true;
        at = text.size();
    } else {
        fault.what = ec.message();
    }
    locate(text, at, fault);
    return std::nullopt;
}

} // namespace lkt::detail
