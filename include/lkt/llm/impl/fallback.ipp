// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/fallback.hpp>

#include <lkt/llm/context_length.hpp>

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

error failures::verdict() && {
    std::size_t chosen = all_.size() - 1;
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].kind == condition::transient &&
            (all_[chosen].kind != condition::transient || i > chosen))
            chosen = i;
    std::string others;
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (i != chosen) others += (others.empty() ? "" : ", ") + all_[i].code;
    error e = std::move(all_[chosen]);
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
