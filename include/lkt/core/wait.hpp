// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <chrono>
#include <concepts>
#include <stop_token>

namespace lkt {

/// Sleeps; `wait(delay, stop)` is true when the whole delay passed, false when `stop` ended it.
/// A test passes one that only takes note of the delay.
template <class W>
concept waiter = requires(W& w, std::chrono::milliseconds delay, std::stop_token const& stop) {
    { w.wait(delay, stop) } -> std::same_as<bool>;
};

/// Blocks the calling thread; a stop request ends the wait at once.
struct blocking_waiter {
    static bool wait(std::chrono::milliseconds delay, std::stop_token const& stop);
};

} // namespace lkt
