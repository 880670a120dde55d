// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/named_numbers.hpp>

#include <lkt/lang/cuda/detail/declarations.hpp>
#include <lkt/lang/cuda/detail/preprocessor.hpp>
#include <lkt/lang/cuda/detail/record_layout.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>

namespace lkt {

std::vector<std::pair<std::string, std::int64_t>>
named_numbers(std::string_view text, std::span<std::string const> names) {
    std::vector<std::pair<std::string, std::int64_t>> found;
    if (names.empty()) return found;
    // Behind the text its macros mean what they mean at its end.
    std::string with_names(text);
    for (std::string const& name : names) with_names += "\n;" + name;
    with_names += "\n;";
    auto const tokens = tokenize(with_names);
    if (!tokens) return found;
    detail::lang::preprocessor made(*tokens, detail::lang::preprocessor::conditions::decide);
    if (!made.run()) return found;
    detail::lang::declarations all(made.pieces());
    if (!all.run()) return found;
    detail::lang::integer_reader const integers(all);
    std::span<detail::lang::piece const> const pieces(made.pieces());
    // From the last name to the first, each between two semicolons.
    std::size_t end = pieces.size();
    for (std::size_t k = names.size(); k-- > 0 && end > 0;) {
        std::size_t begin = --end;
        while (begin > 0 && !pieces[begin - 1].is(";")) --begin;
        if (auto const n = integers.read(pieces.subspan(begin, end - begin)))
            found.emplace_back(names[k], *n);
        end = begin;
    }
    return found;
}

} // namespace lkt
