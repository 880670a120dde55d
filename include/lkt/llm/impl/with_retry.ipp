// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/with_retry.hpp>

namespace lkt::detail {

error retry_stopped() { return cancelled("waiting to ask the model again"); }

error after_attempts(int attempts, error e) {
    if (attempts > 1) e.message += " (after " + std::to_string(attempts) + " attempts)";
    return e;
}

} // namespace lkt::detail
