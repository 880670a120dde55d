// SPDX-License-Identifier: BSL-1.0
// Knobs that are values of a type, or left to the run.
#pragma once

#include <lkt/nodes/tuning_state.hpp>

namespace lkt::detail {

/// Whether each knob is at least so much, or left to the run.
[[nodiscard]] consteval bool in_range(int least, auto... knobs) {
    return ((knobs >= least || knobs == from_state) && ...);
}

/// What a `limit` takes: the knob, or the member of the State that says it.
template <int Knob, auto FromState>
[[nodiscard]] consteval auto limit_of() {
    if constexpr (Knob == from_state)
        return FromState;
    else
        return Knob;
}

/// The number of a run: the knob's, or what the run says, and at least `least` in any case.
[[nodiscard]] constexpr int knob_or(int knob, int of_the_run, int least = 1) {
    int const chosen = knob == from_state ? of_the_run : knob;
    return chosen < least ? least : chosen;
}

} // namespace lkt::detail
