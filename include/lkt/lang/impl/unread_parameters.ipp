// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/unread_parameters.hpp>

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/detail/template_names.hpp>
#include <lkt/lang/expanded_text.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace lkt {

std::vector<std::string> unread_parameters(kernel_source const& source,
                                           std::string_view kernel,
                                           launch_formula const& launch,
                                           std::vector<tunable_parameter> const& parameters) {
    std::vector<std::string> unread;
    if (parameters.empty()) return unread;
    bool const wgsl = source.language == language::wgsl;
    kernel_source plain = source;
    if (!wgsl) {
        std::vector<std::string> names;
        for (tunable_parameter const& p : parameters) names.push_back(p.name);
        plain.text = without_definitions(source.text, names);
    }
    auto const text = expand_text(plain);
    if (!text) return unread;
    std::map<std::string, std::size_t> times;
    for (expanded_token const& t : text->seen)
        if (t.names()) ++times[t.tok.text];
    for (std::string const& name : text->hidden) times[name] += 2;
    // Conditions are no part of what is seen.
    for (token const& t : text->written)
        if (t.directive && t.kind == token_kind::identifier) ++times[t.text];
    std::set<std::string> launched, own;
    auto const add = [&](expression const& e) {
        launched.insert(e.names().begin(), e.names().end());
    };
    for (auto const* extents : {&launch.grid, &launch.block})
        for (expression const& e : *extents) add(e);
    add(launch.shared_bytes);
    std::set<std::string> bound;
    if (!wgsl) {
        bound = detail::lang::template_names(text->written);
        auto const found = find_kernel(source, kernel);
        if (found)
            for (tensor_map const& map : found->tensor_maps)
                for (expression const& e : map.expressions()) add(e);
        if (!found || kernel.find('<') != kernel.npos)
            own = bound;
        else
            for (std::string const& p : found->template_parameters)
                if (auto const words = tokenize(p))
                    for (token const& t : *words) own.insert(t.text);
    }
    for (tunable_parameter const& p : parameters) {
        // WGSL's own declaration of it reads nothing.
        bool const there = times[p.name] > (wgsl ? 1u : 0u);
        bool const elsewhere = bound.contains(p.name) && !own.contains(p.name);
        if (!launched.contains(p.name) && (!there || elsewhere)) unread.push_back(p.name);
    }
    return unread;
}

} // namespace lkt
