// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/cuda/detail/piece.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::lang {

/// What stands between the brackets of `k<float, 16>`, split at its commas.
struct template_argument {
    std::vector<piece> pieces;
    std::string text;
};
inline result<std::vector<template_argument>> template_arguments(std::string_view wanted) {
    std::string_view inner = trimmed(wanted.substr(wanted.find('<') + 1));
    if (!inner.ends_with('>'))
        return error{condition::rejected,
                     "lkt.kernel.template",
                     in_backticks(wanted) + " does not end in >",
                     {}};
    inner.remove_suffix(1);
    auto const tokens = tokenize(inner);
    if (!tokens) return tokens.error();
    std::vector<template_argument> all;
    if (!tokens->empty()) all.emplace_back();
    int depth = 0, angles = 0;
    for (token const& t : *tokens) {
        if (t.is("(") || t.is("[") || t.is("{")) ++depth;
        if (t.is(")") || t.is("]") || t.is("}")) --depth;
        if (depth == 0 && t.is("<")) ++angles;
        if (depth == 0 && angles > 0 && t.is(">")) --angles;
        if (t.is(",") && depth == 0 && angles == 0) {
            all.emplace_back();
            continue;
        }
        all.back().pieces.push_back({t, 0});
    }
    for (template_argument& a : all)
        if (!a.pieces.empty()) {
            std::size_t const begin = a.pieces.front().tok.begin;
            a.text = inner.substr(begin, a.pieces.back().tok.end - begin);
        }
    return all;
}

} // namespace lkt::detail::lang
