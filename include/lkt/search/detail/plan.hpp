// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/detail/walk.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

[[nodiscard]] inline error bad_space(std::string code, std::string message, std::string hint) {
    return {condition::rejected, "lkt.search." + code, std::move(message), std::move(hint)};
}

constexpr std::size_t max_values = 4096; ///< of one parameter

[[nodiscard]] inline result<void> check_parameters(std::span<tunable_parameter const> parameters,
                                                   problem_size const& size) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        auto const& [name, values] = parameters[k];
        if (values.empty())
            return bad_space("no_values",
                             "the parameter " + name + " has no values",
                             "Give it at least one, or leave it out.");
        for (std::size_t j = 0; j < k; ++j)
            if (parameters[j].name == name)
                return bad_space("duplicate_parameter",
                                 "the parameter " + name + " is declared twice",
                                 "Put all its values into one declaration.");
        for (auto const& extent : size)
            if (extent.first == name)
                return bad_space("ambiguous_name",
                                 "a parameter and an extent of the problem are both called " + name,
                                 "Rename the parameter.");
        for (parameter_value const& value : values)
            if (auto const* real = std::get_if<double>(&value); real && !std::isfinite(*real))
                return bad_space("bad_value",
                                 "a value of the parameter " + name + " is not finite",
                                 "Give finite values only.");
        if (values.size() > max_values)
            return bad_space("too_many_values",
                             "the parameter " + name + " has " + std::to_string(values.size()) +
                                 " values",
                             "Give at most " + std::to_string(max_values) + ".");
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (values[i] == values[j])
                    return bad_space("duplicate_value",
                                     "the parameter " + name + " has a value twice: " +
                                         show_values({{{name, values[i]}}, {}}),
                                     "Give each value once.");
    }
    return {};
}

/// Gives each restriction its names, and each parameter the restrictions that it completes.
[[nodiscard]] inline result<walk> plan_walk(std::span<tunable_parameter const> parameters,
                                            std::span<expression const> restrictions,
                                            problem_size const& size) {
    walk plan{{parameters.begin(), parameters.end()},
              {restrictions.begin(), restrictions.end()},
              {},
              {},
              std::vector<std::vector<std::size_t>>(parameters.size()),
              std::vector<std::vector<walk::use>>(parameters.size())};
    expression_scope const sizes = scope_of(size, {});
    for (std::size_t r = 0; r < restrictions.size(); ++r) {
        expression_scope scope{{}, sizes.problem_size};
        std::optional<std::size_t> last;
        for (std::string const& name : restrictions[r].names()) {
            bool known = false;
            for (auto const& entry : sizes.values) {
                if (known || entry.first != name) continue;
                known = true;
                scope.values.push_back(entry);
            }
            for (std::size_t p = 0; p < parameters.size(); ++p) {
                if (parameters[p].name != name) continue;
                known = true;
                plan.uses[p].push_back({r, scope.values.size()});
                scope.values.emplace_back(name, parameters[p].values.front());
                last = last && *last > p ? *last : p;
            }
            if (known) continue;
            std::string names;
            for (auto const& p : parameters) names += (names.empty() ? "" : ", ") + p.name;
            for (auto const& e : size) names += (names.empty() ? "" : ", ") + e.first;
            return bad_space("unknown_name",
                             "the restriction `" + restrictions[r].text() +
                                 "` uses the unknown name " + name,
                             names.empty() ? "There are no parameters to use."
                                           : "It may use " + names + ", and ProblemSize[k].");
        }
        plan.scopes.push_back(std::move(scope));
        (last ? plan.completed_by[*last] : plan.at_once).push_back(r);
    }
    return plan;
}

} // namespace lkt::detail
