// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/summarize_step.hpp>

#include <lkt/nodes/ending.hpp>

namespace lkt::detail {

step_summary summarize_step(std::vector<rejected_attempt> const& attempts) {
    return best_ending(attempts) == ending::correct ? step_summary::correct : step_summary::nothing;
}

} // namespace lkt::detail
