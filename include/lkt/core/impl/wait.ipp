// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/wait.hpp>

#include <condition_variable>
#include <mutex>

namespace lkt {

bool blocking_waiter::wait(std::chrono::milliseconds delay, std::stop_token const& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    (void)wake.wait_for(lock, stop, delay, [] { return false; });
    return !stop.stop_requested();
}

} // namespace lkt
