// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/fallback.hpp>

#include <lkt/core/retry.hpp>
#include <lkt/llm/context_length.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace lkt {

bool fallback_policy::hands_on(error const& e) const {
    switch (e.kind) {
    case condition::transient:
        return transient;
    case condition::exhausted:
        return exhausted;
    case condition::unavailable:
        return unavailable;
    case condition::rejected:
        // The one rejection that is the model's: to another one the same request is short enough.
        return context_length && exceeds_context(e);
    case condition::cancelled:
    case condition::suspended:
        return false;
    }
    return false;
}

namespace detail {

void failures::add(error e) { all_.push_back(std::move(e)); }

int failures::attempts() const {
    int sum = 0;
    for (error const& e : all_) sum = attempts_with(sum, e);
    return sum;
}

result<chat_reply> failures::counted(result<chat_reply> last) const {
    if (last) {
        last->requests += attempts();
        return last;
    }
    error e = last.error();
    e.attempts = attempts_with(attempts(), e);
    return e;
}

error failures::verdict() && {
    std::size_t chosen = all_.size() - 1;
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].kind == condition::transient &&
            (all_[chosen].kind != condition::transient || i > chosen))
            chosen = i;
    std::string others;
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (i != chosen) others += (others.empty() ? "" : ", ") + all_[i].code;
    // Whoever tries again asks the first model first: it is worth while once one of them is ready.
    std::optional<std::chrono::milliseconds> wait = all_[chosen].retry_after;
    for (error const& one : all_)
        if (one.kind == condition::transient) {
            if (!one.retry_after || !wait) wait.reset();
            if (wait) wait = std::min(*wait, *one.retry_after);
        }
    int const made = attempts();
    error e = std::move(all_[chosen]);
    e.retry_after = wait;
    e.attempts = made;
    if (!others.empty()) e.message += " (other models failed too: " + others + ")";
    return e;
}

std::string one_of_them(std::vector<std::string> const& descriptions) {
    std::string text;
    for (std::string const& d : descriptions)
        if (!d.empty()) text += (text.empty() ? "" : ", else ") + d;
    return text;
}

} // namespace detail
} // namespace lkt
