// SPDX-License-Identifier: BSL-1.0
// `--beside-torch`: what a user would call instead of the kernel.
#pragma once

#include "device_turn.hpp"
#include "options.hpp"

#include <lkt/core/error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <optional>
#include <stop_token>

namespace lkt_tune {

/// Why the operation cannot be timed by torch; said before anything is run.
[[nodiscard]] std::optional<lkt::error> beside_torch_fault(options const& o,
                                                           lkt::problem const& task);

/// Times the operation by torch on the device of the run, and adds that to the outcome; where that
/// fails, a note that says why. `left`: of the time that the program may take; `turn`: where the
/// device is shared.
void add_torch_times(options const& o,
                     lkt::tuning_outcome& outcome,
                     std::optional<lkt::seconds> left,
                     device_turn* turn,
                     std::stop_token const& stop);

} // namespace lkt_tune
