// SPDX-License-Identifier: BSL-1.0
// Tunable parameters whose names read alike: two spellings of one.
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

/// `BLOCK_SIZE_X` and `blockSizeX` are `blocksizex`.
[[nodiscard]] inline std::string plain_name(std::string_view name) {
    std::string plain;
    for (char const c : name)
        if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return plain;
}

/// `BLOCK_SIZE` beside `block_size_x`: one of them may stand for the other, or not.
[[nodiscard]] inline bool differ_by_x(std::string_view a, std::string_view b) {
    std::string const x = plain_name(a), y = plain_name(b);
    return x == y + "x" || y == x + "x";
}

[[nodiscard]] inline bool is_name_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// An expression with another name in it, outside of quoted text.
[[nodiscard]] inline expression
renamed(expression const& e, std::string_view from, std::string const& to) {
    std::string_view const text = e.text();
    std::string made;
    char quote = 0;
    for (std::size_t i = 0; i < text.size();) {
        char const c = text[i];
        std::size_t end = i + 1;
        if (quote != 0 || c == '"' || c == '\'') {
            if (quote == 0)
                quote = c;
            else if (c == quote)
                quote = 0;
        } else if (is_name_letter(c)) {
            while (end < text.size() && is_name_letter(text[end])) ++end;
        }
        std::string_view const word = text.substr(i, end - i);
        made += quote == 0 && word == from ? std::string_view(to) : word;
        i = end;
    }
    auto parsed = expression::parse(made);
    return parsed ? *std::move(parsed) : e;
}

/// A text with another identifier in it; nothing where one is written in disguise.
[[nodiscard]] inline std::optional<std::string>
renamed(std::string_view text, std::string_view from, std::string const& to) {
    auto const tokens = tokenize(text);
    if (!tokens) return std::nullopt;
    std::string made;
    std::size_t at = 0;
    for (token const& t : *tokens) {
        if (t.kind != token_kind::identifier || t.text != from) continue;
        if (t.disguised) return std::nullopt;
        made.append(text.substr(at, t.begin - at)).append(to);
        at = t.end;
    }
    return made.append(text.substr(at));
}

/// Makes parameter `second` of `c` another word for `first`: text, launch and restrictions then say
/// `first`, which has the values of both. False where the text does not let itself be changed.
[[nodiscard]] inline bool merge_parameters(candidate& c, std::size_t first, std::size_t second) {
    std::string const from = c.parameters[second].name, to = c.parameters[first].name;
    auto text = renamed(c.source.text, from, to);
    if (!text) return false;
    c.source.text = *std::move(text);
    for (auto* extents : {&c.launch.grid, &c.launch.block})
        for (expression& e : *extents) e = renamed(e, from, to);
    c.launch.shared_bytes = renamed(c.launch.shared_bytes, from, to);
    for (expression& r : c.restrictions) r = renamed(r, from, to);
    auto& values = c.parameters[first].values;
    for (parameter_value const& v : c.parameters[second].values)
        if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
    c.parameters.erase(c.parameters.begin() + static_cast<std::ptrdiff_t>(second));
    return true;
}

} // namespace lkt::detail
