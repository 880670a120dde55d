// SPDX-License-Identifier: BSL-1.0
#include "time_limit.hpp"

#include <algorithm>

namespace lkt_apps {

time_limit::time_limit(std::optional<lkt::seconds> most) : most_(most) {
    if (!most_) return;
    timer_ = std::jthread([this](std::stop_token const& done) {
        std::unique_lock lock(mutex_);
        auto const until =
            begun_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*most_);
        early_.wait_until(lock, done, until, [] { return false; });
        if (!done.stop_requested()) over_.request_stop();
    });
}

std::optional<lkt::seconds> time_limit::left() const {
    if (!most_) return std::nullopt;
    lkt::seconds const spent = std::chrono::steady_clock::now() - begun_;
    return std::max(lkt::seconds(0.001), *most_ - spent);
}

time_limit::call::call(time_limit const& limit, lkt::call_context const& user)
    : limit_(limit), user_(user.stop), by_user_(user.stop, end{&either_}),
      by_time_(limit.over_.get_token(), end{&either_}),
      context_{either_.get_token(), user.on_text} {}

lkt::error time_limit::call::why(lkt::error ended) const {
    if (ended.kind != lkt::condition::cancelled || user_.stop_requested() ||
        !limit_.over_.stop_requested())
        return ended;
    return {lkt::condition::exhausted,
            "lkt.budget.time",
            "the time limit of " + lkt::to_string(*limit_.most_) + " is reached",
            "raise --max-time"};
}

} // namespace lkt_apps
