// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/default_steps.hpp>

#include <lkt/nodes/detail/default_step_table.hpp>

#include <string>
#include <utility>

namespace lkt {

std::vector<optimization_step> default_steps() {
    std::vector<optimization_step> steps;
    for (detail::constant_step const& from : detail::default_step_table) {
        optimization_step step;
        step.id = from.id;
        step.prompt = from.prompt;
        for (detail::constant_parameter const& p : from.tune_params) {
            step_parameter made{std::string(p.name), {p.values.begin(), p.values.end()}, {}};
            if (p.neutral) made.neutral = *p.neutral;
            step.tune_params.push_back(std::move(made));
        }
        step.depends_on.assign(from.depends_on.begin(), from.depends_on.end());
        step.skip_evaluation = from.skip_evaluation;
        steps.push_back(std::move(step));
    }
    return steps;
}

} // namespace lkt
