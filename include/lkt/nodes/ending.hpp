// SPDX-License-Identifier: BSL-1.0
// How strategies and their parts end: one rule for all of them.
#pragma once

#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

/// What a strategy, or a part of one, came to. The better comes first.
enum class ending {
    improved, ///< a faster kernel was accepted
    correct,  ///< correct kernels came, none of them faster
    nothing,  ///< no correct kernel came
};

namespace detail {

[[nodiscard]] ending ending_of(attempt_record const& a);
[[nodiscard]] ending ending_of(rejected_attempt const& a);

/// Of several, the best; `as` says what one came to.
template <class Range, class As>
[[nodiscard]] ending best_ending(Range const& all, As as) {
    ending best = ending::nothing;
    for (auto const& one : all)
        if (ending const its = as(one); its < best) best = its;
    return best;
}
template <class Range>
[[nodiscard]] ending best_ending(Range const& all) {
    return best_ending(all, [](auto const& one) { return ending_of(one); });
}

} // namespace detail
} // namespace lkt
