// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/refine.hpp>

#include <algorithm>
#include <span>

namespace lkt::detail {

round_end check_round_gain(state_ref const& s,
                           std::size_t& began,
                           int& without_gain,
                           refine_limits const& limits) {
    auto const round = std::span(s.history).subspan(std::min(began, s.history.size()));
    without_gain = best_ending(round) == ending::improved ? 0 : without_gain + 1;
    began = s.history.size();
    s.step.clear(); // the next one is the judge's to say
    return without_gain < limits.patience ? round_end::next : round_end::enough;
}

} // namespace lkt::detail
