// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/hidden_state.hpp>

#include <lkt/core/units.hpp>
#include <lkt/lang/expanded_text.hpp>
#include <lkt/verify/detail/static_structure.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace lkt {

namespace detail {

/// Names of variables that the text declares constant, each time it declares them, and does not
/// cast to something else: `const_cast`, `(int&)name`, `(int*)&name`. None where `mutable` members
/// could be written in spite of it.
inline std::set<std::string> constants_of(kernel_source const& source) {
    auto const text = expand_text(source);
    if (!text) return {};
    std::set<std::string> constants, others;
    for (statics::long_lived const& v : statics::structure(text->seen).run())
        (v.constant ? constants : others).insert(text->seen[v.name].tok.text);
    auto const& t = text->seen;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i].is("const_cast") || t[i].is("mutable")) return {};
        // `x3pad` ends as `pad` does where it is mangled.
        std::erase_if(constants, [&](std::string const& name) {
            return t[i].tok.text.ends_with(std::to_string(name.size()) + name);
        });
        std::size_t before = i;
        while (before > 0 && (t[before - 1].is("&") || t[before - 1].is("("))) --before;
        if (before > 1 && t[before - 1].is(")") && (t[before - 2].is("*") || t[before - 2].is("&")))
            others.insert(t[i].tok.text);
    }
    for (std::string const& name : others) constants.erase(name);
    return constants;
}

/// `_ZN6traits3padE` and `pad` are called `pad`.
inline bool is_called(std::string_view mangled, std::string const& name) {
    if (mangled == name) return true;
    if (mangled.ends_with('E')) mangled.remove_suffix(1);
    return mangled.starts_with("_Z") && mangled.ends_with(std::to_string(name.size()) + name);
}

} // namespace detail

std::optional<std::uint64_t> state_bytes(compiled_kernel const& kernel, kernel_source const& text) {
    if (!kernel.writable_bytes) return std::nullopt;
    // What begins with values may be a table that nothing writes; who writes it, the text tells.
    std::uint64_t bytes = *kernel.writable_bytes - kernel.initialised_bytes;
    if (kernel.zeroed.empty()) return bytes;
    auto const constants = detail::constants_of(text);
    for (kept_variable const& v : kernel.zeroed)
        if (std::any_of(constants.begin(), constants.end(), [&](std::string const& name) {
                return detail::is_called(v.name, name);
            }))
            bytes -= std::min(bytes, v.bytes);
    return bytes;
}

std::optional<failure> hidden_state(std::optional<std::uint64_t> original,
                                    std::optional<std::uint64_t> candidate,
                                    static_policy const& policy) {
    if (policy.state != static_severity::error) return std::nullopt;
    if (original.value_or(1) != 0 || candidate.value_or(0) == 0) return std::nullopt;
    return refused{to_string(bytes{*candidate}) + " of variables",
                   "the compiled kernel keeps variables from launch to launch, and the original "
                   "keeps none; declare them in the kernel, or pass what it needs as arguments",
                   {},
                   verdict::stateful};
}

} // namespace lkt
