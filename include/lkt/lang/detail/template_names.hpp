// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace lkt::detail::lang {

/// The names of all template parameters of the text.
[[nodiscard]] inline std::set<std::string> template_names(std::vector<token> const& tokens) {
    std::set<std::string> names;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (!tokens[i].is("template") || !tokens[i + 1].is("<")) continue;
        int depth = 0;
        for (std::size_t k = i + 1; k < tokens.size(); ++k) {
            token const& t = tokens[k];
            if (t.is("(") || t.is("<") || t.is("[")) ++depth;
            if (t.is(")") || t.is(">") || t.is("]")) --depth;
            if (t.is(">>")) depth -= 2;
            if (depth <= 0 || t.is(";") || t.is("{")) break;
            if (t.kind == token_kind::identifier && k + 1 < tokens.size() &&
                (tokens[k + 1].is(",") || tokens[k + 1].is(">") || tokens[k + 1].is("=")))
                names.insert(t.text);
        }
    }
    return names;
}

} // namespace lkt::detail::lang
