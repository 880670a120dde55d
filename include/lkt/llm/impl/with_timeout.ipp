// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/with_timeout.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace lkt::detail {

/// The calls in flight by the time at which they must end, and the thread that ends them.
class call_timer::timer_thread {
public:
    /// One call's stop source, and whether it was the time that triggered it.
    struct alarm {
        std::stop_source source;
        std::atomic<bool> rang = false;
    };
    using place = std::pair<std::chrono::steady_clock::time_point, std::uint64_t>;

    explicit timer_thread(seconds l) : limit(l) {}

    [[nodiscard]] place set(std::shared_ptr<alarm> a) {
        // A year is as good as for ever, and does not overflow.
        auto const span = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::min(limit, seconds(365.0 * 24 * 3600)));
        std::lock_guard const lock(mutex_);
        if (!thread_.joinable())
            thread_ = std::jthread([this](std::stop_token const& stop) { run(stop); });
        place const at(std::chrono::steady_clock::now() + span, calls_++);
        alarms_.emplace(at, std::move(a));
        if (alarms_.begin()->first == at) wake_.notify_one();
        return at;
    }
    void unset(place const& at) {
        std::lock_guard const lock(mutex_);
        alarms_.erase(at);
    }

    seconds const limit; ///< not above 0: none

private:
    void run(std::stop_token const& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            if (alarms_.empty()) {
                (void)wake_.wait(lock, stop, [&] { return !alarms_.empty(); });
                continue;
            }
            auto const next = alarms_.begin()->first;
            if (next.first > std::chrono::steady_clock::now()) {
                (void)wake_.wait_until(lock, stop, next.first, [&] {
                    return alarms_.empty() || alarms_.begin()->first < next;
                });
                continue;
            }
            auto const due = std::move(alarms_.begin()->second);
            alarms_.erase(alarms_.begin());
            due->rang = true;
            lock.unlock();
            // What hangs on the token runs here, and may take its time or another lock.
            due->source.request_stop();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::map<place, std::shared_ptr<alarm>> alarms_;
    std::uint64_t calls_ = 0;
    std::jthread thread_; // last: it ends before the rest goes
};

struct call_timer::call::entry {
    struct stopping {
        std::shared_ptr<timer_thread::alarm> alarm;
        void operator()() const { alarm->source.request_stop(); }
    };

    entry(std::shared_ptr<timer_thread> c, std::stop_token const& stop)
        : owner(std::move(c)), alarm(std::make_shared<timer_thread::alarm>()), callers(stop),
          place(owner->set(alarm)), chain(stop, stopping{alarm}) {}
    entry(entry const&) = delete;
    entry& operator=(entry const&) = delete;
    ~entry() { owner->unset(place); }

    std::shared_ptr<timer_thread> owner;
    std::shared_ptr<timer_thread::alarm> alarm;
    std::stop_token callers;
    timer_thread::place place;
    std::stop_callback<stopping> chain;
};

call_timer::call_timer(seconds limit) : timer_thread_(std::make_shared<timer_thread>(limit)) {}

call_timer::call::call(std::unique_ptr<entry> e, std::stop_token stop)
    : entry_(std::move(e)), stop_(std::move(stop)) {}
call_timer::call::~call() = default;

std::stop_token const& call_timer::call::token() const { return stop_; }

result<chat_reply> call_timer::call::judge(result<chat_reply> outcome) const {
    if (!entry_ || outcome || outcome.error().kind != condition::cancelled ||
        !entry_->alarm->rang || entry_->callers.stop_requested())
        return outcome;
    return error{condition::transient,
                 "lkt.timeout",
                 "the model did not answer within " + to_string(entry_->owner->limit),
                 "ask again, allow more time, or ask for shorter answers",
                 {},
                 outcome.error().attempts};
}

call_timer::call call_timer::begin(std::stop_token const& stop) const {
    if (!(timer_thread_->limit > seconds(0))) return call(nullptr, stop);
    auto entry = std::make_unique<call::entry>(timer_thread_, stop);
    auto token = entry->alarm->source.get_token();
    return call(std::move(entry), std::move(token));
}

} // namespace lkt::detail
