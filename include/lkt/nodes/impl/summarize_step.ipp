// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/summarize_step.hpp>

#include <algorithm>
#include <variant>

namespace lkt::detail {

step_summary summarize_step(std::vector<rejected_attempt> const& attempts) {
    bool const correct =
        std::any_of(attempts.begin(), attempts.end(), [](rejected_attempt const& a) {
            return std::holds_alternative<no_improvement>(a.why);
        });
    return correct ? step_summary::correct : step_summary::nothing;
}

} // namespace lkt::detail
