// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/detail/fan.hpp>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

namespace lkt::detail {

void fan_watch::run(std::int64_t threads, std::function<void(int)> const& branch) {
    auto const count = static_cast<int>(ends.size());
    std::atomic<int> next = 0;
    auto const work = [&] {
        for (int i = next++; i < count && !stop.requested(); i = next++) {
            try {
                branch(i);
            } catch (...) {
                std::lock_guard const alone(mutex_);
                if (!thrown_) thrown_ = std::current_exception();
                stop.request();
            }
        }
    };
    {
        std::vector<std::jthread> others; // besides the caller's
        auto const more = std::min<std::int64_t>(threads, count) - 1;
        try {
            for (std::int64_t i = 0; i < more; ++i) others.emplace_back(work);
        } catch (std::system_error const&) {
            // The system has no more threads for us: those that there are do it too.
        }
        work();
    }
    if (thrown_) std::rethrow_exception(thrown_);
}

void fan_watch::failed_with(int branch, error why) {
    if (!tolerant_ || why.kind == condition::suspended) {
        std::lock_guard const alone(mutex_);
        if (!cause_) cause_ = why;
        stop.request();
    }
    ends[static_cast<std::size_t>(branch)].failure = std::move(why);
}

std::optional<error> fan_watch::failure() const {
    bool const complete = std::all_of(
        ends.begin(), ends.end(), [](branch_end const& end) { return end.outcome != failed; });
    if (complete || cause_) return complete ? std::nullopt : cause_;
    if (stop.requested()) return cancelled("the branches' run");
    return std::nullopt;
}

std::vector<branch_failure> fan_watch::failures() const {
    std::vector<branch_failure> all;
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (auto const& why = ends[i].failure)
            all.push_back({static_cast<int>(i), why->kind, why->code, why->message, why->hint});
    return all;
}

int fan_watch::outcome() const {
    if (!tolerant_) return 0;
    auto const lost = std::count_if(
        ends.begin(), ends.end(), [](branch_end const& end) { return end.outcome == failed; });
    if (lost == 0) return static_cast<int>(joined::all);
    return static_cast<int>(lost == std::ssize(ends) ? joined::none : joined::some);
}

} // namespace lkt::detail
