// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/explicit_steps.hpp>

namespace lkt::detail {

void take_steps(explicit_state& s, std::optional<std::vector<optimization_step>> const& steps) {
    if (steps) s.ledger.steps = *steps;
}

} // namespace lkt::detail
