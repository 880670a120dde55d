// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/json_view.hpp>

#include <boost/json/serialize.hpp>

#include <cmath>

namespace lkt::detail::http {

json const* member(json const* object, std::string_view name) {
    auto const* members = object ? object->if_object() : nullptr;
    auto const* value = members ? members->if_contains(name) : nullptr;
    return value && !value->is_null() ? value : nullptr;
}

json const* first(json const* list) {
    auto const* items = list ? list->if_array() : nullptr;
    return items && !items->empty() ? &items->front() : nullptr;
}

std::string_view text_of(json const* value) {
    auto const* text = value ? value->if_string() : nullptr;
    return text ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::string_view text_at(json const* object, std::string_view name) {
    return text_of(member(object, name));
}

std::optional<std::int64_t> count_at(json const* object, std::string_view name) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    auto const* value = member(object, name);
    if (!value) return std::nullopt;
    if (auto const* n = value->if_int64(); n && *n >= 0 && *n <= most) return *n;
    if (auto const* n = value->if_double(); n && *n >= 0 && *n <= static_cast<double>(most))
        return static_cast<std::int64_t>(*n);
    return std::nullopt;
}

boost::json::array const& list_at(json const* object, std::string_view name) {
    static boost::json::array const none;
    auto const* value = member(object, name);
    auto const* list = value ? value->if_array() : nullptr;
    return list ? *list : none;
}

std::string words_of(json const* value) {
    if (!value) return {};
    if (auto const* parts = value->if_array()) {
        std::string words;
        for (json const& part : *parts) words += words_of(&part);
        return words;
    }
    for (std::string_view const name : {"text", "content", "thinking", "summary"})
        if (auto const* inner = member(value, name)) return words_of(inner);
    return std::string(text_of(value));
}

std::string as_text(json const* value) {
    if (!value) return {};
    return value->is_string() ? std::string(text_of(value)) : boost::json::serialize(*value);
}

} // namespace lkt::detail::http
