// SPDX-License-Identifier: BSL-1.0
// What is said to a server that is asked for a struct, and what it says when it takes offence.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/context_length.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

/// `text` with each `{name}` replaced; what is put in is not looked at again.
std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const* const found =
            std::find_if(values.begin(), values.end(), [&](auto const& value) {
                return text.substr(at).starts_with(value.first);
            });
        if (found == values.end()) {
            out += text[at++];
        } else {
            out += found->second;
            at += found->first.size();
        }
    }
    return out;
}

/// What a schema and a tool may be called: letters, digits, `_` and `-`, at most 64.
[[nodiscard]] inline std::string schema_name(std::string_view wanted) {
    std::string name;
    for (char const c : wanted.substr(0, 64)) {
        bool const allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-';
        name += allowed ? c : '_';
    }
    return name.empty() ? "answer" : name;
}

[[nodiscard]] inline bool mentions(error const& e, std::initializer_list<std::string_view> words) {
    std::string text = e.code + " " + e.message + " " + e.hint;
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return text.find(word) != text.npos;
    });
}

/// Whether a server took offence at the form that was asked for. Servers have no common code for
/// it; where the guess is wrong, the next form meets the same error, and the last one returns it.
[[nodiscard]] inline bool refuses_form(error const& e) {
    if (e.kind != condition::rejected || exceeds_context(e) ||
        mentions(e, {"context length", "context_length"}))
        return false;
    return mentions(e,
                    {"format",
                     "schema",
                     "structured",
                     "output_config",
                     "grammar",
                     "tool",
                     "function call",
                     "function_call",
                     "json mode",
                     "json_object"});
}

/// Whether it was the bounds in the schema that it refused.
[[nodiscard]] inline bool refuses_bounds(error const& e) {
    return refuses_form(e) && mentions(e, {"imum", "items", "length", "keyword", "propert"});
}

} // namespace lkt::detail
