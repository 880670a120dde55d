// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/refine.hpp>

#include <algorithm>
#include <variant>

namespace lkt::detail {

round_end check_round_gain(refine_state& s) {
    bool const gained = std::any_of(
        s.history.begin() + static_cast<std::ptrdiff_t>(std::min(s.round_began, s.history.size())),
        s.history.end(),
        [](attempt_record const& a) { return std::holds_alternative<improvement>(a.outcome); });
    s.without_gain = gained ? 0 : s.without_gain + 1;
    s.round_began = s.history.size();
    s.step.clear(); // the next one is the judge's to say
    return s.without_gain < s.limits.patience ? round_end::next : round_end::enough;
}

} // namespace lkt::detail
