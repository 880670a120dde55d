// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/detail/stop_link.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace lkt::detail {

linked_stop::linked_stop(token_set around)
    : around_(std::move(around)), token_(source_.get_token()) {
    for (std::size_t i = 0; i < around_.size(); ++i)
        if (around_[i].stop_possible()) links_[i].emplace(around_[i], forward{source_});
}

bool linked_stop::from_outside() const {
    return std::any_of(around_.begin(), around_.end(), [](std::stop_token const& token) {
        return token.stop_requested();
    });
}

deadline::deadline(std::int64_t ms, linked_stop& stop) : ms_(ms), stop_(stop) {
    if (ms <= 0) return;
    clock_ = std::jthread([this](std::stop_token const& over) {
        // A year is as good as for ever, and does not overflow.
        std::chrono::milliseconds const span(std::min<std::int64_t>(ms_, 31'536'000'000));
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        (void)wake.wait_for(lock, over, span, [] { return false; });
        if (over.stop_requested()) return;
        rang_ = true;
        stop_.request();
    });
}

error deadline::judge(error why, std::string_view node) const {
    if (why.kind != condition::cancelled || !rang_ || stop_.from_outside()) return why;
    return {condition::transient,
            "lkt.graph.timeout",
            std::string(node) + " did not end within " + std::to_string(ms_) + " ms",
            "allow it more time by timeout_ms, or let retrying try again",
            {},
            why.attempts};
}

} // namespace lkt::detail
