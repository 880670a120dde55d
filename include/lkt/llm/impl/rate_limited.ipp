// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/rate_limited.hpp>

#include <lkt/llm/detail/token_estimate.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>

namespace lkt {

namespace detail {

/// An amount that fills evenly up to a cap. It may be overdrawn: a need larger than the cap is met
/// by a full bucket, and paid off afterwards.
struct token_bucket {
    double a_second = 0; ///< 0: no limit
    double cap = 0;
    double level = 0;

    token_bucket(double a_minute, seconds burst)
        : a_second(std::max(0.0, a_minute) / 60),
          cap(std::max(1.0, a_second * std::max(0.0, burst.count()))), level(cap) {}

    void fill(seconds passed) {
        level = std::min(cap, level + a_second * std::max(0.0, passed.count()));
    }
    void take(double amount) {
        if (a_second > 0) level = std::min(cap, level - amount);
    }
    /// Time until `amount` can be taken.
    [[nodiscard]] seconds until(double amount) const {
        double const missing = std::min(amount, cap) - level;
        return a_second > 0 && missing > 0 ? seconds(missing / a_second) : seconds(0);
    }
};

} // namespace detail

class rate_limiter::state {
public:
    explicit state(rate_limits given)
        : limits(std::move(given)), requests(limits.requests_per_minute, limits.burst),
          tokens(limits.tokens_per_minute, limits.burst), filled(limits.clock.now()),
          held_until(filled) {}

    [[nodiscard]] double need_of(chat_request const& request) const {
        return static_cast<double>(detail::estimated_input(request) +
                                   detail::max_output(request, limits.expected_output));
    }

    [[nodiscard]] std::optional<error> enter(double need, std::stop_token const& stop) {
        std::unique_lock lock(mutex);
        auto const mine = arrivals++;
        queue.push_back(mine);
        auto failed = wait_for_turn(lock, mine, need, stop);
        std::erase(queue, mine);
        if (!failed) take(need);
        tell();
        return failed;
    }

    [[nodiscard]] bool try_enter(double need) {
        std::lock_guard const lock(mutex);
        if (!queue.empty() || full() || wait_time(need) > seconds(0)) return false;
        take(need);
        return true;
    }

    /// `used`: what came out; nothing when the call failed.
    void leave(double need, double used, std::optional<std::chrono::milliseconds> hold) {
        std::lock_guard const lock(mutex);
        --running;
        fill();
        tokens.take(used - need);
        if (hold) held_until = std::max(held_until, limits.clock.now() + bounded(*hold));
        tell();
    }

private:
    [[nodiscard]] std::optional<error> wait_for_turn(std::unique_lock<std::mutex>& lock,
                                                     std::uint64_t mine,
                                                     double need,
                                                     std::stop_token const& stop) {
        for (;;) {
            if (stop.stop_requested()) return cancelled("waiting for the rate limit");
            auto const seen = changes;
            auto const changed = [&] { return changes != seen; };
            if (queue.front() != mine || full()) {
                (void)change.wait(lock, stop, changed);
                continue;
            }
            seconds const wait = wait_time(need);
            if (wait <= seconds(0)) return std::nullopt;
            if (wait > limits.max_wait) return busy(wait);
            // A little later rather than twice: the bucket is not exact to the nanosecond.
            auto const until = limits.clock.now() +
                               std::chrono::duration_cast<time_source::duration>(wait) +
                               std::chrono::microseconds(1);
            if (limits.clock.is_manual())
                limits.clock.advance_to(until);
            else
                (void)change.wait_until(lock, stop, until, changed);
        }
    }

    [[nodiscard]] static error busy(seconds wait) {
        auto const rest =
            std::chrono::ceil<std::chrono::milliseconds>(std::min(wait, seconds(24 * 3600.0)));
        return {condition::transient,
                "lkt.rate.busy",
                "the rate limit allows the next call in " + to_string(wait) +
                    ", which is longer than a call may wait",
                "try again later, or raise max_wait",
                rest,
                0};
    }
    [[nodiscard]] static time_source::duration bounded(std::chrono::milliseconds hold) {
        return std::clamp<std::chrono::milliseconds>(
            hold, std::chrono::milliseconds(0), std::chrono::hours(24 * 365));
    }

    void fill() {
        auto const now = limits.clock.now();
        seconds const passed = now - filled;
        requests.fill(passed);
        tokens.fill(passed);
        filled = now;
    }
    [[nodiscard]] seconds wait_time(double need) {
        fill();
        seconds const held = held_until - filled;
        return std::max({held, requests.until(1), tokens.until(need)});
    }
    [[nodiscard]] bool full() const { return limits.in_flight != 0 && running >= limits.in_flight; }
    void take(double need) {
        requests.take(1);
        tokens.take(need);
        ++running;
    }
    void tell() {
        ++changes;
        change.notify_all();
    }

public:
    rate_limits const limits;

private:
    std::mutex mutex;
    std::condition_variable_any change;
    std::uint64_t changes = 0;
    detail::token_bucket requests, tokens;
    time_source::time_point filled, held_until;
    std::size_t running = 0;
    std::deque<std::uint64_t> queue; ///< who waits, the next one first
    std::uint64_t arrivals = 0;
};

struct rate_limiter::permit::entry {
    std::shared_ptr<state> owner;
    chat_request const* request; ///< outlives the call that the permit is for
    double need;
};

rate_limiter::permit::permit(std::unique_ptr<entry> e) : entry_(std::move(e)) {}
rate_limiter::permit::permit(permit&&) noexcept = default;

rate_limiter::permit::~permit() {
    if (entry_) entry_->owner->leave(entry_->need, 0, {});
}

void rate_limiter::permit::settle(result<chat_reply> const& outcome) {
    if (!entry_) return;
    auto const done = std::move(entry_);
    double used = 0;
    std::optional<std::chrono::milliseconds> hold;
    if (outcome) {
        auto const usage = detail::usage_of(*done->request, *outcome);
        used = static_cast<double>(usage.input + usage.output);
    } else if (outcome.error().kind == condition::transient) {
        hold = outcome.error().retry_after;
    }
    done->owner->leave(done->need, used, hold);
}

rate_limiter::rate_limiter(rate_limits limits)
    : state_(std::make_shared<state>(std::move(limits))) {}

result<rate_limiter::permit> rate_limiter::enter(chat_request const& request,
                                                 std::stop_token const& stop) {
    double const need = state_->need_of(request);
    auto entry = std::make_unique<permit::entry>(state_, &request, need);
    if (auto failed = state_->enter(need, stop)) return *failed;
    return permit(std::move(entry));
}

std::optional<rate_limiter::permit> rate_limiter::try_enter(chat_request const& request) {
    double const need = state_->need_of(request);
    auto entry = std::make_unique<permit::entry>(state_, &request, need);
    if (!state_->try_enter(need)) return std::nullopt;
    return permit(std::move(entry));
}

} // namespace lkt
