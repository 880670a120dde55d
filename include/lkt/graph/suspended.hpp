// SPDX-License-Identifier: BSL-1.0
// Runs that wait for something outside: somebody's approval, a night, another machine.
#pragma once

#include <lkt/core/error.hpp>

#include <string>
#include <string_view>

namespace lkt {

/// A node returns this to end the run here and have it resumed later, when the node is entered
/// again: `return lkt::suspended("approval", "somebody approves " + path);`. The run returns it as
/// its error, of condition `suspended` and code `lkt.suspended.approval`, unless the node has an
/// edge for it; no retry policy is asked. `hint` says what to do next.
[[nodiscard]] error suspended(std::string_view state, std::string awaited, std::string hint = {});

/// The name of the waiting state, `approval`; empty for any other error.
[[nodiscard]] std::string_view waiting_state(error const& e);

} // namespace lkt
