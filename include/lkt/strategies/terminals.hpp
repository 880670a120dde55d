// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

namespace lkt {

// How the strategies of this library end. Your own may end in tags of their own.

/// A kernel was accepted that is faster than the one the strategy began with.
struct tuned {};
/// Correct kernels came, none of them faster; the best is what it was.
struct unchanged {};
/// No correct kernel came; the best is what it was.
struct gave_up {};

} // namespace lkt
