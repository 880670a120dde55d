// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuning_outcome.hpp>

#include <lkt/nodes/ending.hpp>

namespace lkt {

bool tuning_outcome::improved() const {
    return detail::best_ending(history) == ending::improved &&
           !(best.kernel == baseline.kernel && best.config == baseline.config);
}

double tuning_outcome::speedup() const {
    return improved() ? lkt::speedup(baseline.time, best.time) : 1;
}

} // namespace lkt
