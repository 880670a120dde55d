// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/excerpt.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

/// The fields of an object that somebody else wrote. The first defect is kept in words, and after
/// it everything reads as absent; a field that nobody asked for is a defect too, since it is most
/// often a misspelt one.
class json_fields {
public:
    json_fields(boost::json::value const& value, std::string where, std::string& defect)
        : object_(value.if_object()), where_(std::move(where)), defect_(&defect) {
        if (!object_) fail(where_ + " is not a JSON object");
    }

    [[nodiscard]] bool good() const { return defect_->empty(); }
    void fail(std::string what) {
        if (good()) *defect_ = std::move(what);
    }

    [[nodiscard]] bool has(std::string_view name) { return find(name) != nullptr; }

    [[nodiscard]] std::string text(std::string_view name) {
        auto const* v = find(name);
        if (!v) return {};
        if (auto const* s = v->if_string()) return std::string(s->data(), s->size());
        wrong(name, "a string");
        return {};
    }
    [[nodiscard]] std::string required_text(std::string_view name) {
        if (!has(name)) missing(name);
        return text(name);
    }
    [[nodiscard]] std::optional<double> number(std::string_view name) {
        auto const* v = find(name);
        if (!v) return std::nullopt;
        if (v->is_number()) return v->to_number<double>();
        wrong(name, "a number");
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view name, std::uint64_t most) {
        auto const* v = find(name);
        if (!v) return std::nullopt;
        boost::json::error_code ec;
        auto const n = v->is_number() ? v->to_number<std::uint64_t>(ec) : most;
        if (v->is_number() && !ec && n <= most) return n;
        wrong(name, "a whole number from 0 to " + std::to_string(most));
        return std::nullopt;
    }
    [[nodiscard]] bool flag(std::string_view name) {
        auto const* v = find(name);
        if (v && !v->is_bool()) wrong(name, "true or false");
        return v && v->is_bool() && v->get_bool();
    }
    [[nodiscard]] std::optional<json_fields> object(std::string_view name) {
        auto const* v = find(name);
        if (!v) return std::nullopt;
        return inner(*v, "\"" + std::string(name) + "\"");
    }
    [[nodiscard]] json_fields inner(boost::json::value const& value, std::string where) {
        return {value, std::move(where), *defect_};
    }
    [[nodiscard]] boost::json::array const* list(std::string_view name) {
        auto const* v = find(name);
        if (v && !v->if_array()) wrong(name, "a list");
        return v ? v->if_array() : nullptr;
    }
    [[nodiscard]] boost::json::array const* required_list(std::string_view name) {
        if (!has(name)) missing(name);
        return list(name);
    }
    /// The enumerator whose name is the field's text.
    template <class E>
    [[nodiscard]] E one_of(std::string_view name, std::initializer_list<E> all) {
        std::string const given = required_text(name);
        std::string names;
        for (E const e : all) {
            if (given == to_string(e)) return e;
            names.append(names.empty() ? "" : ", ").append(to_string(e));
        }
        fail("\"" + std::string(name) + "\" is `" + excerpt(given, 0, 40) + "`; expected one of " +
             names);
        return *all.begin();
    }
    void no_others() {
        if (!object_) return;
        for (auto const& field : *object_) {
            bool known = false;
            for (auto const& name : asked_) known = known || field.key() == name;
            if (!known)
                fail(where_ + " has the unknown field `" + excerpt(field.key(), 0, 40) + "`");
        }
    }

private:
    [[nodiscard]] boost::json::value const* find(std::string_view name) {
        if (!object_ || !good()) return nullptr;
        asked_.emplace_back(name);
        auto const* v = object_->if_contains(name);
        return v && !v->is_null() ? v : nullptr;
    }
    void missing(std::string_view name) {
        fail("\"" + std::string(name) + "\" is missing in " + where_);
    }
    void wrong(std::string_view name, std::string const& expected) {
        fail("\"" + std::string(name) + "\" is not " + expected);
    }

    boost::json::object const* object_;
    std::string where_;
    std::string* defect_;
    std::vector<std::string> asked_;
};

} // namespace lkt::detail
