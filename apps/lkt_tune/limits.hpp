// SPDX-License-Identifier: BSL-1.0
// What a run may take: time, calls of models, money.
#pragma once

#include "options.hpp"

#include <lkt/core/context.hpp>
#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace lkt_tune {

/// `90s`, `10m`, `2h`, `1h30m`, `1.5h`, `2d`. Errors: usage.
[[nodiscard]] lkt::result<lkt::seconds> duration_of(std::string_view option,
                                                    std::string const& text);

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

/// Which limit ended the run or left something out, as an error that says how to go on; nothing if
/// none did.
[[nodiscard]] std::optional<lkt::error>
limit_reached(options const& o, lkt::tuning_outcome const& outcome, bool saved);

} // namespace lkt_tune
