// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem.hpp>

namespace lkt {

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
