// SPDX-License-Identifier: BSL-1.0
// Retry policies: knobs that decide, from a failure's condition alone, whether and when to try
// again; and the count of attempts that layers of retries share.
#pragma once

#include <lkt/core/error.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace lkt {

/// A wait before the next attempt, or nothing: give up.
using retry_delay = std::optional<std::chrono::milliseconds>;

/// `next(condition, attempt, hint)` decides what to do after a failure.
/// \li `condition`: all that a policy learns about the failure
/// \li `attempt`: how many attempts have been made, at least 1; attempts of inner layers
///     (`error::attempts`) count as well
/// \li `hint`: how long the server asked to wait, if it did (`Retry-After`)
///
/// Laws: a policy is a value without side effects (equal arguments give equal answers), and it
/// gives up on each condition after a finite number of attempts. A strategy takes one as a template
/// argument: such a policy is a structural type, and its `next` constexpr.
template <class P>
concept retry_policy = requires(P const& p, condition c, int attempt, retry_delay hint) {
    { p.next(c, attempt, hint) } -> std::same_as<retry_delay>;
};

/// Waits `first_ms`, then `factor` times longer each time, never longer than `cap_ms`; transient
/// failures only. A hint lengthens a wait; one longer than `max_hint_ms` ends the attempts.
/// Jitter keeps callers that failed together from asking again together.
struct backoff {
    int attempts = 3;         ///< in all, the first one included
    int first_ms = 250;       ///< wait before the second attempt
    int factor = 2;           ///< of each wait to the one before
    int cap_ms = 60'000;      ///< longest wait that the policy chooses
    int jitter_percent = 0;   ///< lengthens each wait by up to this share of itself
    bool full_jitter = false; ///< wait anything from 0 to the time above, equally likely
    unsigned seed = 0;        ///< of the jitter; equal seeds give equal waits; 0: see `reseeded`
    int max_hint_ms = 10 * 60'000; ///< give up rather than wait longer than this

    [[nodiscard]] constexpr retry_delay
    next(condition c, int attempt, retry_delay hint = {}) const {
        using std::chrono::milliseconds;
        if (c != condition::transient || attempt >= attempts) return {};
        if (hint && hint->count() > max_hint_ms) return {};
        std::int64_t wait = first_ms < cap_ms ? first_ms : cap_ms;
        if (first_ms < 0 || cap_ms < 0) wait = 0;
        for (int i = 1; i < attempt && wait > 0 && wait < cap_ms && factor > 1; ++i)
            wait = wait * factor < cap_ms ? wait * factor : cap_ms;
        if (jitter_percent > 0) wait += wait * jitter_percent * share(attempt) / (100 * 1024);
        if (full_jitter) wait = wait * share(attempt + 0x10000) / 1023;
        milliseconds const chosen(wait);
        return hint && *hint > chosen ? *hint : chosen;
    }

    /// The same policy with the jitter of one call. A policy is a value, so two calls that fail
    /// together would wait equally long; who makes calls draws a seed for each. A policy that names
    /// its seed keeps it.
    [[nodiscard]] constexpr backoff reseeded(unsigned drawn) const {
        backoff other = *this;
        if (seed == 0) other.seed = drawn;
        return other;
    }

    friend bool operator==(backoff const&, backoff const&) = default;

private:
    /// 0 to 1023, scrambled from the seed and the attempt.
    [[nodiscard]] constexpr std::int64_t share(int attempt) const {
        std::uint64_t x = (std::uint64_t(seed) << 32) + static_cast<std::uint32_t>(attempt);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::int64_t>((x ^ (x >> 31)) % 1024);
    }
};

/// For calls to servers: four attempts, full jitter up to 0.5 s, 1 s and 2 s (at most 8 s where
/// there are more attempts), and up to two minutes where the server asks for them. Such failures
/// are the transport's: they say nothing about a kernel and never use up one of its attempts, which
/// strategies count for themselves.
inline constexpr backoff transport_retry{.attempts = 4,
                                         .first_ms = 500,
                                         .factor = 2,
                                         .cap_ms = 8'000,
                                         .full_jitter = true,
                                         .max_hint_ms = 120'000};

/// Waits the same time before each attempt; transient failures only. A hint lengthens the wait; one
/// longer than `max_hint_ms` ends the attempts.
struct fixed {
    int attempts = 3;              ///< in all, the first one included
    int delay_ms = 0;              ///< before each attempt but the first
    int max_hint_ms = 10 * 60'000; ///< give up rather than wait longer than this

    [[nodiscard]] constexpr retry_delay
    next(condition c, int attempt, retry_delay hint = {}) const {
        using std::chrono::milliseconds;
        if (c != condition::transient || attempt >= attempts) return {};
        if (hint && hint->count() > max_hint_ms) return {};
        milliseconds const chosen(delay_ms > 0 ? delay_ms : 0);
        return hint && *hint > chosen ? *hint : chosen;
    }
    friend bool operator==(fixed const&, fixed const&) = default;
};

/// Always one attempt.
struct never {
    [[nodiscard]] constexpr retry_delay next(condition, int, retry_delay = {}) const { return {}; }
    friend bool operator==(never const&, never const&) = default;
};

/// A strategy's `static constexpr auto retry`, or `backoff{}` if it has none.
template <class Strategy>
[[nodiscard]] consteval retry_policy auto retry_of() {
    if constexpr (requires { Strategy::retry; })
        return Strategy::retry;
    else
        return backoff{};
}

namespace detail {

/// How many attempts a policy makes at what fails for a while, at most.
template <retry_policy P>
[[nodiscard]] consteval int attempts_of(P const& policy) {
    constexpr int most = 1'000;
    int made = 1;
    while (made < most && policy.next(condition::transient, made, {})) ++made;
    return made;
}

/// How many attempts have been made, where `before` had been before this failure. At least one
/// more, so that a policy ends.
[[nodiscard]] constexpr int attempts_with(int before, error const& e) {
    constexpr int most = 1'000'000;
    int const more = e.attempts < 1 ? 1 : e.attempts;
    return before > most - 1 || more > most - before ? most : before + more;
}

} // namespace detail

} // namespace lkt
