// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/error.hpp>
#include <lkt/core/units.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace lkt_apps {

/// The time that `--max-time` gives this program. When it is over, calls of models end.
class time_limit {
public:
    explicit time_limit(std::optional<lkt::seconds> most);

    /// What is left, at least a millisecond; nothing without a limit.
    [[nodiscard]] std::optional<lkt::seconds> left() const;

    /// A call that ends when the time is over, or when its user says so.
    class call {
    public:
        call(time_limit const& limit, lkt::call_context const& user);
        [[nodiscard]] lkt::call_context const& context() const { return context_; }
        /// The error with which it ended, which says so if it was the time.
        [[nodiscard]] lkt::error why(lkt::error ended) const;

    private:
        struct end {
            std::stop_source* source;
            void operator()() const { source->request_stop(); }
        };
        time_limit const& limit_;
        std::stop_token user_;
        std::stop_source either_;
        std::stop_callback<end> by_user_, by_time_;
        lkt::call_context context_;
    };

private:
    std::optional<lkt::seconds> most_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::stop_source over_;
    std::mutex mutex_;
    std::condition_variable_any early_;
    std::jthread timer_; // last: ends before what it uses
};

} // namespace lkt_apps
