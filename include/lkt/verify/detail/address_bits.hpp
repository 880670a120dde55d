// SPDX-License-Identifier: BSL-1.0
// Whether a text looks at the bits of an address.
#pragma once

#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace lkt::detail {

/// Whether a statement makes an integer of a pointer, and takes bits of it: `(size_t)x & 15`,
/// `reinterpret_cast<uintptr_t>(x) % 16`. Pointers are names that follow `const*`, `void*`, a
/// fundamental type with a star, or a type that is a template's parameter.
[[nodiscard]] inline bool looks_at_addresses(kernel_source const& source) {
    auto const text = expand_text(source);
    if (!text) return false;
    auto const& in = text->seen;
    auto const any = [&](std::size_t k, auto const&... words) {
        return k < in.size() && (in[k].is(words) || ...);
    };
    auto const integer = [&](std::size_t k) {
        return any(k, "size_t", "uintptr_t", "intptr_t", "ptrdiff_t", "uint64_t", "int64_t") ||
               any(k, "unsigned", "long", "int", "std", "::");
    };
    std::unordered_set<std::string_view> pointers;
    std::unordered_set<std::string_view> parameters;
    for (std::size_t k = 1; k + 1 < in.size(); ++k) {
        if (any(k - 1, "typename", "class") && in[k].names()) parameters.insert(in[k].tok.text);
        if (in[k].names() && any(k + 1, ",", ")") && parameters.contains(in[k - 1].tok.text))
            pointers.insert(in[k].tok.text);
        bool const type = any(k - 1, "const", "void", "float", "double", "int", "char", "short") ||
                          any(k - 1, "unsigned", "long", "half", "__half", "__nv_bfloat16", "auto");
        if (!type || !in[k].is("*")) continue;
        std::size_t name = k + 1;
        while (any(name, "const", "volatile", "__restrict__", "__restrict", "restrict")) ++name;
        if (name < in.size() && in[name].names()) pointers.insert(in[name].tok.text);
    }
    auto const takes_bits = [&](std::size_t k) {
        for (; k < in.size() && !any(k, ";", "{", "}"); ++k)
            if (any(k, "&", "%", ">>")) return true;
        return false;
    };
    for (std::size_t k = 0; k < in.size(); ++k) {
        bool const named = any(k, "reinterpret_cast") && any(k + 1, "<");
        if (!named && !in[k].is("(")) continue;
        std::size_t at = k + (named ? 2 : 1);
        std::size_t const type = at;
        while (integer(at)) ++at;
        if (at == type || !any(at, named ? ">" : ")")) continue;
        while (any(at + 1, "(")) ++at;
        bool const pointer = at + 1 < in.size() && in[at + 1].names() &&
                             pointers.contains(in[at + 1].tok.text) && !any(at + 2, "[", "->");
        if ((named || pointer) && takes_bits(at + 2)) return true;
    }
    return false;
}

} // namespace lkt::detail
