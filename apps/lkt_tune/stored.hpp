// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session.hpp"

#include "../common/tests.hpp"

#include <lkt/tuner/tuning_outcome.hpp>

#include <optional>

namespace lkt_tune {

/// The fastest kernel of the store that is still right, verified again and measured. Nothing: a
/// model has to be asked; why a kernel is not used was said. From then on the store has the
/// problem. Errors: those of the store and of the device.
[[nodiscard]] lkt::result<std::optional<lkt::tuning_outcome>>
stored_kernel(session& s,
              lkt::problem const& task,
              lkt_apps::chosen_tests const& tests,
              std::optional<lkt::test_suite> const& suite);

} // namespace lkt_tune
