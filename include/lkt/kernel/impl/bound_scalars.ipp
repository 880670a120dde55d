// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/bound_scalars.hpp>

#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// What is replaced, and by what.
using renames = std::vector<std::pair<std::string, std::string>>;

std::string numbered_size(std::size_t k) { return "ProblemSize[" + std::to_string(k) + "]"; }

/// The name, the number or the quoted text at the beginning, `ProblemSize[0]` as one; a sign alone.
std::string_view first_word(std::string_view text) {
    auto const in_word = [](char c) {
        return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
    };
    if (text.front() == '\'' || text.front() == '"') {
        auto const end = text.find(text.front(), 1);
        return text.substr(0, end == text.npos ? end : end + 1);
    }
    auto const end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), in_word) -
                                              text.begin());
    if (text.substr(0, end) == "ProblemSize" && text.substr(end).starts_with('['))
        return text.substr(0, text.find(']') == text.npos ? text.size() : text.find(']') + 1);
    return text.substr(0, std::max<std::size_t>(end, 1));
}

expression with_names(expression const& e, renames const& changes) {
    std::string made;
    for (std::string_view rest = e.text(); !rest.empty();) {
        auto const word = first_word(rest);
        auto const change = std::find_if(
            changes.begin(), changes.end(), [&](auto const& c) { return c.first == word; });
        if (change == changes.end())
            made += word;
        else if (is_identifier(change->second) || change->second.starts_with("ProblemSize["))
            made += change->second;
        else
            made += "(" + change->second + ")";
        rest.remove_prefix(word.size());
    }
    if (made == e.text()) return e;
    auto parsed = expression::parse(made);
    return parsed ? *parsed : e; // a text that is too long
}

launch_formula with_names(launch_formula of, renames const& changes) {
    if (changes.empty()) return of;
    for (auto* const three : {&of.grid, &of.block})
        for (expression& e : *three) e = with_names(e, changes);
    of.shared_bytes = with_names(of.shared_bytes, changes);
    return of;
}

bool is_parameter(std::string_view name, std::span<tunable_parameter const> parameters) {
    return std::any_of(
        parameters.begin(), parameters.end(), [&](auto const& p) { return p.name == name; });
}

bool is_size(std::string_view name, problem const& task) {
    return std::any_of(
        task.size.begin(), task.size.end(), [&](auto const& s) { return s.first == name; });
}

/// Those that are given as formulas: another number may be passed where one number is given.
std::vector<std::size_t> bound_scalars(problem const& task) {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& a = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        bool const follows = !spec.value.names().empty() ||
                             spec.value.text().find("ProblemSize[") != std::string::npos;
        if (!a.pointer && !spec.random && follows && is_identifier(a.name)) all.push_back(k);
    }
    return all;
}

/// The argument that has the value of the size, where nothing else is called like it.
std::string scalar_of_size(problem const& task, std::size_t size) {
    for (std::size_t const k : bound_scalars(task)) {
        std::string const& value = task.arguments[k].value.text();
        std::string const& name = task.signature.arguments[k].name;
        if ((value == task.size[size].first || value == numbered_size(size)) &&
            (!is_size(name, task) || name == task.size[size].first))
            return name;
    }
    return {};
}

} // namespace detail

launch_formula over_sizes(launch_formula const& of,
                          problem const& task,
                          std::span<tunable_parameter const> parameters) {
    detail::renames changes;
    for (std::size_t const k : detail::bound_scalars(task)) {
        std::string const& name = task.signature.arguments[k].name;
        if (!detail::is_size(name, task) && !detail::is_parameter(name, parameters))
            changes.emplace_back(name, task.arguments[k].value.text());
    }
    return detail::with_names(of, changes);
}

launch_formula over_scalars(launch_formula const& of,
                            problem const& task,
                            std::span<tunable_parameter const> parameters) {
    detail::renames changes;
    for (std::size_t k = 0; k < task.size.size(); ++k) {
        auto const name = detail::scalar_of_size(task, k);
        if (name.empty() || detail::is_parameter(name, parameters)) continue;
        changes.emplace_back(task.size[k].first, name);
        changes.emplace_back(detail::numbered_size(k), name);
    }
    return detail::with_names(of, changes);
}

std::string identifier_of_size(problem const& task, std::size_t size) {
    std::string const& own = task.size[size].first;
    return is_identifier(own) ? own : detail::scalar_of_size(task, size);
}

} // namespace lkt
