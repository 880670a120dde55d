// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/includes.hpp>

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lkt {

std::vector<std::string> includes_of(std::string_view text) {
    std::vector<std::string> found;
    auto const tokens = tokenize(text);
    if (!tokens) return found;
    std::size_t conditions = 0;
    for (std::size_t i = 0; i + 1 < tokens->size(); ++i) {
        if (!(*tokens)[i].directive || !(*tokens)[i].first) continue;
        token const& name = (*tokens)[i + 1];
        if (name.text.starts_with("if")) ++conditions;
        if (name.is("endif") && conditions > 0) --conditions;
        if (conditions > 0 || !name.is("include") || i + 2 >= tokens->size()) continue;
        token const& header = (*tokens)[i + 2];
        if (header.first || header.text.size() < 3 ||
            (header.kind != token_kind::header_name && header.kind != token_kind::string))
            continue;
        if (std::find(found.begin(), found.end(), header.text) == found.end())
            found.push_back(header.text);
    }
    return found;
}

std::string with_includes_of(std::string_view original, std::string text) {
    auto const unquoted = [](std::string_view header) {
        return header.substr(1, header.size() - 2);
    };
    auto const own = includes_of(text);
    std::string lines;
    for (std::string const& header : includes_of(original))
        if (std::none_of(own.begin(), own.end(), [&](std::string const& h) {
                return unquoted(h) == unquoted(header);
            }))
            lines += "#include " + header + "\n";
    return lines.empty() ? std::move(text) : lines + text;
}

} // namespace lkt
