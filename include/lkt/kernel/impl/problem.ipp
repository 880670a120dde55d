// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem.hpp>

namespace lkt {

problem::problem() = default;
problem::problem(problem const&) = default;
problem::problem(problem&&) noexcept = default;
problem& problem::operator=(problem const&) = default;
problem& problem::operator=(problem&&) noexcept = default;
problem::~problem() = default;

direction problem::flow(std::size_t argument) const {
    if (arguments[argument].scratch) return direction::out; // its contents are nobody's
    return arguments[argument].flow.value_or(signature.arguments[argument].flow);
}

bool operator==(problem const&, problem const&) = default;

expression_scope scope_of(problem_size const& size, configuration const& config) {
    expression_scope scope;
    scope.values.reserve(size.size() + config.values.size());
    for (auto const& [name, extent] : size) {
        scope.values.emplace_back(name, extent);
        scope.problem_size.push_back(extent);
    }
    for (auto const& each : config.values) scope.values.push_back(each);
    return scope;
}

} // namespace lkt
