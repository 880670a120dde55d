// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuning_outcome.hpp>

#include <algorithm>

namespace lkt {

bool tuning_outcome::improved() const {
    return std::any_of(history.begin(),
                       history.end(),
                       [](attempt_record const& a) {
                           return std::holds_alternative<improvement>(a.outcome);
                       }) &&
           !(best.kernel == baseline.kernel && best.config == baseline.config);
}

double tuning_outcome::speedup() const {
    return improved() ? lkt::speedup(baseline.time, best.time) : 1;
}

} // namespace lkt
