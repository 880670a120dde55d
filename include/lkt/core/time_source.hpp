// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <atomic>
#include <chrono>
#include <memory>

namespace lkt {

/// A clock that is passed as a value: the steady clock, or for tests a manual clock that stands
/// still until it is moved, so that an hour takes no time. Waiting on a manual clock moves it
/// forward instead. Copies share the time. May be used from several threads.
class time_source {
public:
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;

    /// The steady clock.
    time_source() = default;
    [[nodiscard]] static time_source manual() {
        time_source made;
        made.since_start_ = std::make_shared<std::atomic<duration::rep>>(0);
        return made;
    }

    [[nodiscard]] bool is_manual() const { return since_start_ != nullptr; }
    [[nodiscard]] time_point now() const {
        return since_start_ ? time_point(duration(*since_start_))
                            : std::chrono::steady_clock::now();
    }

    /// Only a manual clock moves.
    void advance(duration by) const {
        if (since_start_) *since_start_ += by.count();
    }
    /// The same, and never back.
    void advance_to(time_point then) const {
        if (!since_start_) return;
        duration::rep const wanted = then.time_since_epoch().count();
        duration::rep seen = *since_start_;
        while (seen < wanted && !since_start_->compare_exchange_weak(seen, wanted)) {
        }
    }

private:
    std::shared_ptr<std::atomic<duration::rep>> since_start_;
};

} // namespace lkt
