// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/with_retry.hpp>

#include <atomic>
#include <random>

namespace lkt::detail {

error retry_stopped() { return cancelled("waiting to ask the model again"); }

error after_attempts(int attempts, error e) {
    if (attempts > 1) e.message += " (after " + std::to_string(attempts) + " attempts)";
    return e;
}

unsigned draw_seed() {
    // The system is asked once: drawing must not cost more than the wait is worth.
    static std::atomic<unsigned> next{std::random_device{}()};
    unsigned const drawn = next.fetch_add(0x9e3779b9u);
    return drawn == 0 ? 1 : drawn;
}

} // namespace lkt::detail
