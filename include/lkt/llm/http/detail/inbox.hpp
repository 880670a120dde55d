// SPDX-License-Identifier: BSL-1.0
// What exchanges bring, between the I/O thread and the one that waits for it.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/http/detail/wire.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::http {

/// What is new of one call.
struct arrival {
    std::size_t call = 0;
    std::optional<wire_response> head = {}; ///< without its body
    std::string body = {};
    bool over = false;                 ///< nothing else comes
    std::optional<error> failure = {}; ///< why it is over too early
    bool paused = false;               ///< its exchange reads on when it is told to
};

/// One caller's, for all of its calls. Safe to use from several threads.
class inbox {
public:
    explicit inbox(std::size_t calls) : calls_(calls) {}

    /// From the I/O thread. False: that is enough for now, wait until you are told to read on.
    [[nodiscard]] bool deliver(arrival fresh) {
        std::unique_lock lock(mutex_);
        auto& call = calls_[fresh.call];
        if (fresh.head) call.held.head = std::move(fresh.head);
        call.held.body += fresh.body;
        call.held.over = call.held.over || fresh.over;
        if (fresh.failure) call.held.failure = std::move(fresh.failure);
        call.held.paused = !fresh.over && call.held.body.size() >= most_held;
        bool const room = !call.held.paused;
        if (!std::exchange(call.listed, true)) {
            bool const sleeps = ready_.empty();
            ready_.push_back(fresh.call);
            // It would wake up to a mutex that is taken.
            lock.unlock();
            if (sleeps) changed_.notify_one();
        }
        return room;
    }

    /// From anywhere: `wait` returns at once from now on.
    void stop() {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        changed_.notify_one();
    }

    /// What is new, of the call that has waited longest; nothing when stopped.
    [[nodiscard]] std::optional<arrival> wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || !ready_.empty(); });
        if (stopped_) return std::nullopt;
        auto const which = ready_.front();
        ready_.pop_front();
        auto& call = calls_[which];
        call.listed = false;
        auto fresh = std::exchange(call.held, {});
        fresh.call = which;
        return fresh;
    }

    /// Bytes of a body that wait here for their reader, about.
    static constexpr std::size_t most_held = 256 * 1024;

private:
    struct slot {
        arrival held;
        bool listed = false;
    };
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<slot> calls_;
    std::deque<std::size_t> ready_;
    bool stopped_ = false;
};

} // namespace lkt::detail::http
