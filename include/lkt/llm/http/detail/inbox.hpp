// SPDX-License-Identifier: BSL-1.0
// What exchanges bring, between the I/O thread and the one that waits for it.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <condition_variable>
#include <cstddef>
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
    explicit inbox(std::size_t calls) : place_(calls, nowhere) {}

    struct receipt {
        bool room;  ///< false: that is enough for now, wait until you are told to read on
        bool first; ///< a waiter may sleep: `wake` it when there is nothing else to deliver
    };
    /// From the I/O thread.
    [[nodiscard]] receipt deliver(arrival fresh) {
        std::lock_guard const lock(mutex_);
        bool const first = ready_.empty();
        auto& at = place_[fresh.call];
        if (at == nowhere) {
            at = ready_.size();
            ready_.push_back(std::move(fresh));
        } else {
            auto& held = ready_[at];
            if (fresh.head) held.head = std::move(fresh.head);
            held.body += fresh.body;
            held.over = held.over || fresh.over;
            if (fresh.failure) held.failure = std::move(fresh.failure);
        }
        auto& held = ready_[at];
        held.paused = !held.over && held.body.size() >= max_held;
        return {.room = !held.paused, .first = first};
    }
    void wake() { changed_.notify_one(); }

    /// From anywhere: `wait` returns at once from now on.
    void stop() {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        changed_.notify_one();
    }

    /// Waits, and puts what is new in the place of `fresh`, in the order in which calls had news;
    /// nothing when stopped.
    void wait(std::vector<arrival>& fresh) {
        fresh.clear();
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || !ready_.empty(); });
        if (stopped_) return;
        ready_.swap(fresh);
        for (arrival const& each : fresh) place_[each.call] = nowhere;
    }

    /// Bytes of a body that wait here for their reader, about.
    static constexpr std::size_t max_held = 256 * 1024;

private:
    static constexpr auto nowhere = static_cast<std::size_t>(-1);
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<arrival> ready_;
    std::vector<std::size_t> place_; ///< in `ready_`, of each call
    bool stopped_ = false;
};

} // namespace lkt::detail::http
