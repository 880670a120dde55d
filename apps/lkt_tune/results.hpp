// SPDX-License-Identifier: BSL-1.0
// How a run ends: what it writes, what it says, and its status.
#pragma once

#include "declare.hpp"
#include "session.hpp"

#include <lkt/tuner/tuning_outcome.hpp>

#include <optional>

namespace lkt_tune {

/// Writes what was asked for, and says how the run ended. Returns the program's status.
int conclude(session& s,
             lkt::result<lkt::tuning_outcome> outcome,
             std::optional<declaration> const& declared);

/// The same for a run that ended before anything was tuned.
int conclude(session& s, lkt::error const& ended_by);

/// After Ctrl-C: how to go on. What it met, a compilation or a request, says nothing to its user.
int interrupted(session const& s);

} // namespace lkt_tune
