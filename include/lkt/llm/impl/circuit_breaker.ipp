// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/circuit_breaker.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>

namespace lkt::detail {

class breaker::state {
public:
    explicit state(breaker_options given) : options(std::move(given)) {
        options.failures = std::max(options.failures, 1);
    }

    /// The time at which the breaker was last opened or closed, in which the call belongs.
    struct ticket {
        std::uint64_t era = 0;
        bool probe = false;
    };

    [[nodiscard]] result<ticket> enter(bool as_probe) {
        std::lock_guard const lock(mutex);
        if (!opened) return ticket{era, false};
        seconds const rest = options.open - (options.clock.now() - *opened);
        if (rest > seconds(0) || probing || !as_probe) return is_open_error(rest);
        probing = true;
        return ticket{era, true};
    }

    void leave(ticket const& t, std::optional<condition> failure, bool answered) {
        std::lock_guard const lock(mutex);
        if (t.probe) probing = false;
        // What began before the breaker opened says nothing about the time since.
        if (t.era != era) return;
        bool const silent =
            failure && (*failure == condition::transient || *failure == condition::unavailable);
        bool const told =
            answered || silent ||
            (failure && (*failure == condition::rejected || *failure == condition::exhausted));
        if (!told) return;
        failures = silent ? failures + 1 : 0;
        if (silent && (t.probe || failures >= options.failures)) {
            opened = options.clock.now();
            ++era;
        } else if (t.probe) {
            opened.reset();
            ++era;
        }
    }

    [[nodiscard]] bool is_open() {
        std::lock_guard const lock(mutex);
        return opened && (probing || options.clock.now() - *opened < options.open);
    }

private:
    [[nodiscard]] error is_open_error(seconds rest) const {
        error e{condition::unavailable,
                "lkt.breaker.open",
                "the model failed " + std::to_string(failures) +
                    " times in a row and is not asked for a while",
                "try again later, or ask another model meanwhile (fallback)"};
        if (rest > seconds(0))
            e.retry_after = std::chrono::ceil<std::chrono::milliseconds>(
                std::min(rest, seconds(365 * 24 * 3600.0)));
        e.attempts = 0; // nobody was asked
        return e;
    }

    breaker_options options;
    std::mutex mutex;
    int failures = 0; ///< in a row
    std::optional<time_source::time_point> opened;
    bool probing = false;
    std::uint64_t era = 0;
};

struct breaker::pass::entry {
    std::shared_ptr<state> owner;
    state::ticket ticket;
};

breaker::pass::pass(std::unique_ptr<entry> e) : entry_(std::move(e)) {}
breaker::pass::pass(pass&&) noexcept = default;

breaker::pass::~pass() {
    if (entry_) entry_->owner->leave(entry_->ticket, {}, false);
}

void breaker::pass::settle(result<chat_reply> const& outcome) {
    if (!entry_) return;
    auto const done = std::move(entry_);
    if (outcome)
        done->owner->leave(done->ticket, {}, true);
    else
        done->owner->leave(done->ticket, outcome.error().kind, false);
}

breaker::breaker(breaker_options options) : state_(std::make_shared<state>(std::move(options))) {}

result<breaker::pass> breaker::enter(chat_request const&, std::stop_token const&) {
    auto ticket = state_->enter(true);
    if (!ticket) return ticket.error();
    return pass(std::make_unique<pass::entry>(state_, *ticket));
}

std::optional<breaker::pass> breaker::try_enter(chat_request const&) {
    auto ticket = state_->enter(false);
    if (!ticket || ticket->probe) return std::nullopt;
    return pass(std::make_unique<pass::entry>(state_, *ticket));
}

bool breaker::is_open() const { return state_->is_open(); }

} // namespace lkt::detail
