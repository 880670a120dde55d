// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/step.hpp>

#include <lkt/nodes/ending.hpp>

namespace lkt::detail {

since_start look_back(std::vector<attempt_record> const& history) {
    return best_ending(history) == ending::improved ? since_start::improved : since_start::same;
}

void propose_best(std::vector<rejected_attempt>& attempts,
                  candidate& proposal,
                  tuned_kernel const& best) {
    attempts.clear();
    proposal = best.kernel;
    proposal.description = "the kernel as it is, with its parameters tuned";
}

} // namespace lkt::detail
