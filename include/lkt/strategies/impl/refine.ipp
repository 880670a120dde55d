// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/refine.hpp>

#include <algorithm>
#include <span>

namespace lkt::detail {

void begin_rounds(refine_state& s) {
    begin_search(s);
    s.round_began = s.history.size();
    s.without_gain = 0;
}

round_end check_round_gain(refine_state& s) {
    auto const round = std::span(s.history).subspan(std::min(s.round_began, s.history.size()));
    bool const gained = best_ending(round) == ending::improved;
    s.without_gain = gained ? 0 : s.without_gain + 1;
    s.round_began = s.history.size();
    s.step.clear(); // the next one is the judge's to say
    return s.without_gain < s.limits.patience ? round_end::next : round_end::enough;
}

} // namespace lkt::detail
