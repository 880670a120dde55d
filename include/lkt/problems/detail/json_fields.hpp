// SPDX-License-Identifier: BSL-1.0
// Needs Boost.JSON.
#pragma once

#include <lkt/core/json_keys.hpp>
#include <lkt/core/near_name.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

namespace json = boost::json;

/// How a message calls what JSON has.
inline std::string_view json_kind(json::value const& v) {
    switch (v.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "a truth value";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
        return "a number";
    case json::kind::string:
        return "text";
    case json::kind::array:
        return "a list";
    case json::kind::object:
        return "an object";
    }
    return "something else";
}

/// Thrown inside the reader and turned into a result at its door: every field can fail, and every
/// failure ends the reading.
struct problem_defect {
    error what;
};

[[noreturn]] inline void reject(std::string_view code, std::string message, std::string hint = {}) {
    throw problem_defect{{condition::rejected,
                          "lkt.problem." + std::string(code),
                          std::move(message),
                          std::move(hint)}};
}

/// A JSON value with the path that leads to it, for messages.
class json_field {
public:
    json_field(json::value const& v, std::string path) : value_(&v), path_(std::move(path)) {}

    [[nodiscard]] std::string const& path() const { return path_; }
    [[nodiscard]] json::value const& value() const { return *value_; }

    [[noreturn]] void wrong_type(std::string_view wanted) const {
        reject("type",
               path_ + " must be " + std::string(wanted) + ", not " +
                   std::string(json_kind(*value_)),
               "text stands in quotes, a list in [ ], an object in { }");
    }
    [[noreturn]] void wrong_value(std::string const& why, std::string hint = {}) const {
        reject("value", path_ + ": " + why, std::move(hint));
    }
    [[noreturn]] void unsupported(std::string const& what = {}) const {
        throw problem_defect{
            {condition::rejected,
             "lkt.problem.unsupported",
             path_ + (what.empty() ? "" : " = " + in_backticks(what, 40)) + " is not supported yet",
             "remove the field, or describe the problem without it"}};
    }

    [[nodiscard]] json::object const& object() const {
        if (!value_->is_object()) wrong_type("an object");
        return value_->get_object();
    }
    [[nodiscard]] std::vector<json_field> items() const {
        if (!value_->is_array()) wrong_type("a list");
        std::vector<json_field> all;
        for (json::value const& v : value_->get_array())
            all.emplace_back(v, path_ + "[" + std::to_string(all.size()) + "]");
        return all;
    }
    [[nodiscard]] std::string text() const {
        if (!value_->is_string()) wrong_type("text");
        json::string const& s = value_->get_string();
        return {s.data(), s.size()};
    }
    [[nodiscard]] std::int64_t integer() const {
        if (value_->is_int64()) return value_->get_int64();
        if (value_->is_uint64()) wrong_value("the number is too large");
        wrong_type("a whole number");
    }
    [[nodiscard]] double number() const {
        if (value_->is_int64()) return static_cast<double>(value_->get_int64());
        if (value_->is_uint64()) return static_cast<double>(value_->get_uint64());
        if (value_->is_double()) return value_->get_double();
        wrong_type("a number");
    }

    /// A member, or nothing where it is absent or null.
    [[nodiscard]] std::optional<json_field> find(std::string_view name) const {
        json::value const* v = object().if_contains(name);
        if (v == nullptr || v->is_null()) return {};
        return json_field(*v, child(name));
    }
    [[nodiscard]] json_field at(std::string_view name) const {
        if (auto f = find(name)) return *f;
        reject("field",
               child(name) + " is missing",
               "add it; a field with the value null is missing, too");
    }
    [[nodiscard]] std::vector<std::pair<std::string, json_field>> members() const {
        std::vector<std::pair<std::string, json_field>> all;
        for (auto const& [key, v] : object()) {
            std::string const name(key.data(), key.size());
            all.emplace_back(name, json_field(v, child(name)));
        }
        return all;
    }
    [[nodiscard]] std::string child(std::string_view name) const {
        std::string const shown = plain_line(name, 60);
        return path_.empty() ? shown : path_ + "." + shown;
    }

    /// Refuses what looks like a misspelling of a field that is not there; other fields are
    /// foreign.
    void check_spelling(std::initializer_list<std::string_view> known) const {
        for (auto const& [key, unused] : object()) {
            std::string_view const name(key.data(), key.size());
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            std::vector<std::string_view> absent;
            for (std::string_view const right : known)
                if (!object().contains(right)) absent.push_back(right);
            if (auto const right = near_name(name, absent); edit_distance(name, right) <= 2)
                reject("field",
                       child(name) + " is not a known field; did you mean " + std::string(right) +
                           "?",
                       "give a field of your own a name that differs more from lkt's names");
        }
    }
    /// Refuses everything but these.
    void only(std::initializer_list<std::string_view> known) const {
        check_spelling(known);
        for (auto const& [key, unused] : object()) {
            std::string_view const name(key.data(), key.size());
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            std::string list;
            for (std::string_view const k : known)
                list += (list.empty() ? "" : ", ") + std::string(k);
            reject("field", child(name) + " is not a known field", "known: " + list);
        }
    }

private:
    json::value const* value_;
    std::string path_;
};

/// The whole text as JSON; an error has line and column.
inline json::value parse_json(std::string_view text, std::string const& origin) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // some editors' byte order mark
    json::parse_options options;
    options.max_depth = 32;
    json::stream_parser parser({}, options);
    boost::system::error_code why;
    std::size_t at = parser.write_some(text.data(), text.size(), why);
    if (!why && at < text.size()) {
        std::size_t const rest = text.find_first_not_of(" \t\r\n", at);
        if (rest != std::string_view::npos) {
            at = rest;
            why = json::error::extra_data;
        }
    }
    if (!why) parser.finish(why);
    if (!why) {
        if (auto const twice = describe_repeated_key(text))
            reject("json", origin + ": " + *twice, "keep one of them");
        return parser.release();
    }
    reject("json",
           origin + ": " + line_and_column(text, at) + ": this is not JSON: " + why.message(),
           json_hint);
}

} // namespace lkt::detail::problems
