// SPDX-License-Identifier: BSL-1.0
// The JSON block of a reply: what may be tuned, under which conditions, how it is launched.
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/llm/extract_json.hpp>
#include <lkt/nodes/detail/quote.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// What a reply said; what it left out is absent.
struct metadata {
    std::string description;
    std::optional<std::vector<tunable_parameter>> parameters;
    std::optional<std::vector<expression>> restrictions;
    std::string bad_restriction; ///< why they cannot be read, then they are absent
    std::optional<launch_formula> launch;
    std::vector<std::string> notes;
};

inline constexpr std::size_t max_reply_parameters = 32, max_reply_values = 256;

/// A defect of the block, where in it and what is expected.
struct metadata_error {
    std::string why;
};
template <class T>
using metadata_part = std::variant<T, metadata_error>;

[[nodiscard]] inline bool is_identifier(std::string_view name) {
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    if (name.empty() || name.size() > 64 || !letter(name.front())) return false;
    return std::all_of(
        name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

[[nodiscard]] inline std::string json_words(boost::json::value const& v) {
    return ticked(shortened(boost::json::serialize(v), 80));
}

[[nodiscard]] inline std::optional<parameter_value> value_of(boost::json::value const& v) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (v.is_bool()) return parameter_value(v.get_bool());
    if (v.is_int64()) return parameter_value(v.get_int64());
    if (v.is_uint64() && v.get_uint64() <= static_cast<std::uint64_t>(largest))
        return parameter_value(static_cast<std::int64_t>(v.get_uint64()));
    // A whole number that 64 bits do not hold is read as one of these.
    if (v.is_double() && std::abs(v.get_double()) < 0x1p63) return parameter_value(v.get_double());
    if (v.is_string() && v.get_string().size() <= 200)
        return parameter_value(std::string(v.get_string()));
    return std::nullopt;
}

[[nodiscard]] inline metadata_part<expression> expression_of(boost::json::value const& v,
                                                             std::string const& where) {
    if (v.is_int64()) return expression(v.get_int64());
    if (!v.is_string())
        return metadata_error{where + " is " + json_words(v) +
                              "; give a whole number or an expression as a string"};
    auto parsed = expression::parse(std::string_view(v.get_string()));
    if (!parsed) return metadata_error{where + ": " + parsed.error().message};
    return std::move(*parsed);
}

[[nodiscard]] inline metadata_part<std::array<expression, 3>>
extents_of(boost::json::value const& v, std::string const& where) {
    std::array<expression, 3> extents{1, 1, 1};
    boost::json::array const one{v};
    auto const* list = v.if_array();
    if (!list) list = &one;
    if (list->empty() || list->size() > 3)
        return metadata_error{where + " has " + std::to_string(list->size()) +
                              " extents; give one to three"};
    for (std::size_t i = 0; i < list->size(); ++i) {
        auto e = expression_of((*list)[i], where + "[" + std::to_string(i) + "]");
        if (auto* wrong = std::get_if<metadata_error>(&e)) return std::move(*wrong);
        extents[i] = std::get<expression>(std::move(e));
    }
    return extents;
}

/// `fixed`: the block is the kernel's own text's business, and may be missing here.
[[nodiscard]] inline metadata_part<launch_formula> launch_of(boost::json::value const& v,
                                                             bool fixed) {
    auto const* fields = v.if_object();
    if (!fields)
        return metadata_error{"\"launch\" is " + json_words(v) +
                              "; give an object with \"grid\" and \"block\""};
    launch_formula launch;
    for (auto const& [key, value] : *fields) {
        std::string const where = "launch." + std::string(key);
        if (key == "grid" || key == "block") {
            auto e = extents_of(value, where);
            if (auto* wrong = std::get_if<metadata_error>(&e)) return std::move(*wrong);
            (key == "grid" ? launch.grid : launch.block) =
                std::get<std::array<expression, 3>>(std::move(e));
        } else if (key == "shared_bytes" || key == "shared") {
            auto e = expression_of(value, where);
            if (auto* wrong = std::get_if<metadata_error>(&e)) return std::move(*wrong);
            launch.shared_bytes = std::get<expression>(std::move(e));
        } else {
            return metadata_error{"\"launch\" has the unknown field " + ticked(key) +
                                  "; known: grid, block, shared_bytes"};
        }
    }
    if (fixed && !fields->contains("grid")) return metadata_error{"\"launch\" needs \"grid\""};
    if (!fixed && (!fields->contains("grid") || !fields->contains("block")))
        return metadata_error{"\"launch\" needs both \"grid\" and \"block\""};
    return launch;
}

[[nodiscard]] inline std::string number_of_values(std::string const& name, std::size_t count) {
    return "the parameter " + name + " has " + std::to_string(count) + " values; give 1 to " +
           std::to_string(max_reply_values);
}

[[nodiscard]] inline metadata_part<std::vector<tunable_parameter>>
parameters_of(boost::json::value const& v) {
    auto const* fields = v.if_object();
    if (!fields)
        return metadata_error{"\"parameters\" is " + json_words(v) +
                              "; give an object of names and lists of values"};
    if (fields->size() > max_reply_parameters)
        return metadata_error{"there are " + std::to_string(fields->size()) +
                              " parameters; at most " + std::to_string(max_reply_parameters) +
                              " can be tuned"};
    std::vector<tunable_parameter> parameters;
    for (auto const& [key, value] : *fields) {
        tunable_parameter p{std::string(key), {}};
        if (!is_identifier(key))
            return metadata_error{"the parameter name " + ticked(shortened(key, 80)) +
                                  " is not an identifier"};
        boost::json::array const one{value};
        auto const* list = value.if_array();
        if (!list) list = &one;
        // One without values is read: what is wrong with it can be put right, see `without_values`.
        if (list->size() > max_reply_values)
            return metadata_error{number_of_values(p.name, list->size())};
        for (boost::json::value const& item : *list) {
            auto read = value_of(item);
            if (!read && (item.is_uint64() || item.is_double()))
                return metadata_error{"the parameter " + p.name + " has the value " +
                                      json_words(item) +
                                      ", which is out of range: whole numbers have 64 bits"};
            if (!read)
                return metadata_error{"the parameter " + p.name + " has the value " +
                                      json_words(item) +
                                      "; give numbers, true, false or short strings"};
            if (std::find(p.values.begin(), p.values.end(), *read) == p.values.end())
                p.values.push_back(std::move(*read));
        }
        parameters.push_back(std::move(p));
    }
    return parameters;
}

[[nodiscard]] inline metadata_part<std::vector<expression>>
restrictions_of(boost::json::value const& v) {
    boost::json::array const one{v};
    auto const* list = v.if_array();
    if (!list) list = &one;
    if (list->size() > 64)
        return metadata_error{"there are " + std::to_string(list->size()) +
                              " restrictions; the limit is 64"};
    std::vector<expression> restrictions;
    for (std::size_t i = 0; i < list->size(); ++i) {
        auto e = expression_of((*list)[i], "restrictions[" + std::to_string(i) + "]");
        if (auto* wrong = std::get_if<metadata_error>(&e)) return std::move(*wrong);
        restrictions.push_back(std::get<expression>(std::move(e)));
    }
    return restrictions;
}

/// Whether `a` is probably `b` misspelt: equal but for case and one letter more, less or other.
[[nodiscard]] inline bool nearly(std::string_view a, std::string_view b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::size_t i = 0, x = a.size(), y = b.size();
    while (i < x && i < y && lower(a[i]) == lower(b[i])) ++i;
    while (x > i && y > i && lower(a[x - 1]) == lower(b[y - 1])) --x, --y;
    return x - i <= 1 && y - i <= 1;
}

inline constexpr std::array<std::string_view, 4> metadata_fields{
    "description", "parameters", "restrictions", "launch"};

/// One field of the block. Nothing means that it was read.
[[nodiscard]] inline std::optional<metadata_error>
read_field(metadata& m, std::string_view key, boost::json::value const& value, bool fixed) {
    auto const take = [](auto part, auto& into) -> std::optional<metadata_error> {
        if (auto* wrong = std::get_if<metadata_error>(&part)) return std::move(*wrong);
        into = std::get<0>(std::move(part));
        return std::nullopt;
    };
    if (value.is_null()) return std::nullopt;
    if (key == "parameters") return take(parameters_of(value), m.parameters);
    if (key == "restrictions") { // this can be put right by itself, see `fix_parameters`
        if (auto const wrong = take(restrictions_of(value), m.restrictions))
            m.bad_restriction = wrong->why;
        return std::nullopt;
    }
    if (key == "launch") return take(launch_of(value, fixed), m.launch);
    if (key == "description") {
        if (!value.is_string()) return metadata_error{"\"description\" is not a string"};
        m.description = shortened(value.get_string(), 2000);
        return std::nullopt;
    }
    for (std::string_view const known : metadata_fields)
        if (nearly(key, known))
            return metadata_error{"the json block has the field " + ticked(key) + "; write \"" +
                                  std::string(known) + "\""};
    m.notes.push_back("the field " + ticked(shortened(key, 80)) + " of the json block was ignored");
    return std::nullopt;
}

/// Reads the last JSON block of a reply; an empty result when there is none. `fixed`: the block
/// may be missing in its launch, since the kernel's text fixes it.
[[nodiscard]] inline std::variant<metadata, failure> read_metadata(std::string_view reply,
                                                                   bool fixed = false) {
    metadata m;
    auto const block = extract_json(reply);
    if (!block) {
        if (block.error().code == "lkt.extract.no-json") return m;
        return failure(no_code{block.error().message});
    }
    auto const* fields = block->if_object();
    if (!fields)
        return failure(no_code{"the json block holds " + json_words(*block) +
                               "; give an object such as {\"parameters\": {}, \"launch\": {}}"});
    for (auto const& [key, value] : *fields)
        if (auto wrong = read_field(m, key, value, fixed))
            return failure(no_code{std::move(wrong->why)});
    return m;
}

/// The first parameter without a value, as the failure of the reply.
[[nodiscard]] inline std::optional<failure> without_values(metadata const& m) {
    if (m.parameters)
        for (tunable_parameter const& p : *m.parameters)
            if (p.values.empty()) return failure(no_code{number_of_values(p.name, 0)});
    return std::nullopt;
}

} // namespace lkt::detail
