// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "options.hpp"

#include <lkt/core/error.hpp>

#include <optional>

namespace lkt_tune {

/// What of the command line does not go with the problem that it names. `asks`: the strategy asks a
/// model.
[[nodiscard]] std::optional<lkt::error>
problem_fault(options const& o, lkt::problem_draft const& draft, bool asks);

} // namespace lkt_tune
