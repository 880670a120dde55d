// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/step.hpp>

#include <algorithm>
#include <variant>

namespace lkt::detail {

since_start look_back(std::vector<attempt_record> const& history) {
    bool const improved = std::any_of(history.begin(), history.end(), [](attempt_record const& a) {
        return std::holds_alternative<improvement>(a.outcome);
    });
    return improved ? since_start::improved : since_start::same;
}

void propose_best(std::vector<rejected_attempt>& attempts,
                  candidate& proposal,
                  tuned_kernel const& best) {
    attempts.clear();
    proposal = best.kernel;
    proposal.description = "the kernel as it stands, its parameters tuned";
}

} // namespace lkt::detail
