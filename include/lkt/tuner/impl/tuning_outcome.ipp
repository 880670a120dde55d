// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuning_outcome.hpp>

#include <lkt/nodes/ending.hpp>

namespace lkt {

tuning_outcome::tuning_outcome() = default;
tuning_outcome::tuning_outcome(tuning_outcome const&) = default;
tuning_outcome::tuning_outcome(tuning_outcome&&) noexcept = default;
tuning_outcome& tuning_outcome::operator=(tuning_outcome const&) = default;
tuning_outcome& tuning_outcome::operator=(tuning_outcome&&) noexcept = default;
tuning_outcome::~tuning_outcome() = default;

bool tuning_outcome::improved() const {
    return detail::best_ending(history) == ending::improved &&
           !(best.kernel == baseline.kernel && best.config == baseline.config);
}

double tuning_outcome::speedup() const {
    return improved() ? lkt::speedup(baseline.time, best.time) : 1;
}

} // namespace lkt
