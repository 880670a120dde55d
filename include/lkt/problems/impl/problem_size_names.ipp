// SPDX-License-Identifier: BSL-1.0
// Names of sizes: a problem file calls them ProblemSize[0], ..., and lkt.size_names says what else.
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/problems/detail/problem_reader.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail::problems {

/// With `names` for `ProblemSize[k]`, which nothing but a size is called.
expression renamed(expression const& e, std::vector<std::string> const& names) {
    std::string text = e.text();
    for (std::size_t k = 0; k < names.size(); ++k) {
        std::string const old = "ProblemSize[" + std::to_string(k) + "]";
        for (auto at = text.find(old); at != text.npos; at = text.find(old, at + names[k].size()))
            text.replace(at, old.size(), names[k]);
    }
    auto parsed = text == e.text() ? result<expression>(e) : expression::parse(text);
    return parsed ? *parsed : e;
}

std::string problem_reader::right_name(std::string_view name) const {
    auto const names = lkt_ ? lkt_->find("size_names") : std::nullopt;
    if (auto const* const list = names ? names->value().if_array() : nullptr)
        for (std::size_t k = 0; k < list->size(); ++k)
            if (auto const* const s = (*list)[k].if_string(); s != nullptr && *s == name)
                return "write ProblemSize[" + std::to_string(k) + "] for it";
    return "the names of sizes are ProblemSize[0], ProblemSize[1], ...";
}

void problem_reader::read_size_names(json_field const& list) {
    std::vector<std::string> names;
    for (json_field const& item : list.items()) {
        std::string name = item.text();
        auto const is_it = [&](auto const& p) { return p.name == name; };
        if (!is_identifier(name)) item.wrong_value(in_backticks(name, 40) + " is not a name");
        if (std::find(names.begin(), names.end(), name) != names.end() ||
            std::any_of(task_.parameters.begin(), task_.parameters.end(), is_it))
            item.wrong_value(in_backticks(name, 40) + " is the name of another size or parameter");
        names.push_back(std::move(name));
    }
    if (names.size() != task_.size.size())
        list.wrong_value("a name is needed for each of the " + std::to_string(task_.size.size()) +
                         " extents of KernelSpecification.ProblemSize");
    auto const size = [&](problem_size& s) {
        for (std::size_t k = 0; k < names.size(); ++k) s[k].first = names[k];
    };
    auto const rename = [&](expression& e) { e = renamed(e, names); };
    auto const fill = [&](distribution& d) {
        if (auto* i = std::get_if<indices>(&d)) rename(i->below);
    };
    size(task_.size);
    for (problem_size& s : task_.further_sizes) size(s);
    for (expression& e : task_.size_constraints) rename(e);
    for (expression& e : task_.restrictions) rename(e);
    for (argument_spec& a : task_.arguments) {
        rename(a.value);
        rename(a.count);
        fill(a.fill);
    }
    for (auto* const three : {&task_.launch.grid, &task_.launch.block})
        for (expression& e : *three) rename(e);
    rename(task_.launch.shared_bytes);
    for (declared_test& t : task_.tests)
        for (auto& [argument, declared] : t.arguments) fill(declared.fill);
}

} // namespace lkt::detail::problems
