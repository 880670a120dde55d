// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/timing_rounds.hpp>

#include <lkt/verify/floor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lkt {

namespace detail {

/// Marks those that cannot lead any more; true when the leader is known, and whether it is faster
/// than the last one.
bool leader_is_known(std::span<trial*> all, std::vector<bool>& out, decision_ref const& decision) {
    trial const* leader = nullptr;
    for (trial const* t : all)
        if (!t->failed && (!leader || t->time.median() < leader->time.median())) leader = t;
    if (!leader) return true;
    bool open = !std::isfinite(leader->time.noise().count());
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (all[k] == leader || all[k]->failed) continue;
        out[k] = out[k] || decision.compare(all[k]->time, leader->time) == comparison::slower;
        open = open || !out[k];
    }
    return !open;
}

} // namespace detail

result<void> timing_rounds::screen(trial& t, std::optional<seconds> fastest) {
    int const launches = std::max(1, setup_.options.screening_launches);
    if (!setup_.drops_slow_ones()) return time(t, launches);
    // What a first launch costs besides does not show in a long one: the one that was verified
    // is as good as any other.
    constexpr seconds long_launch{0.5e-3};
    bool const long_one = !t.time.empty() && t.time.minimum() > long_launch;
    timed_series s{long_one ? std::max(1, launches - 1) : launches, 0, {}};
    if (fastest) {
        bool const at_once = *fastest > long_launch;
        double const range = std::max(1.0, setup_.options.race_range);
        seconds const hopeless = *fastest * (at_once ? std::sqrt(range) : range);
        if (at_once && !t.time.empty() && t.time.minimum() > hopeless) return {};
        s.sampling = {.min_launches = at_once ? 1 : s.launches, .give_up_above = hopeless};
    }
    return take(t, s);
}

result<void> timing_rounds::time(trial& t, int launches) {
    if (!setup_.drops_slow_ones()) return take(t, {launches, setup_.options.warmups});
    // Caches are emptied before each launch anyway: a warm-up would tell nothing.
    timed_series s{launches, 0, {}};
    s.sampling = {.min_launches = std::min(launches, 6), .precision = 0.005};
    return take(t, s);
}

int timing_rounds::launches_a_round(seconds one) const {
    int const turns = rounds();
    int const wanted = std::max(6, setup_.options.final_launches);
    double affordable = wanted;
    if (one.count() > 0) affordable = setup_.options.final_time.count() / one.count();
    double const total = std::clamp(affordable, 6.0, static_cast<double>(wanted));
    return static_cast<int>(std::ceil(total / turns));
}

result<void> timing_rounds::side_by_side(std::span<trial*> all, rounds_sink const& after_round) {
    std::vector<int> launches;
    for (trial* t : all) {
        launches.push_back(launches_a_round(t->time.median()));
        t->time = {};
    }
    return rounds_of(all, launches, after_round);
}

result<comparison> timing_rounds::decide(trial& one, trial& other, rounds_sink const& after_round) {
    constexpr int extensions = 2;
    for (int extension = 0;; ++extension) {
        if (one.failed || other.failed) return comparison::undecided;
        comparison const verdict = setup_.parts.decision.compare(one.time, other.time);
        double const ratio = speedup(one.time, other.time);
        bool const alike = ratio > 1 / 1.05 && ratio < 1.05;
        if (verdict != comparison::undecided || alike || extension == extensions) return verdict;
        trial* both[] = {&one, &other};
        std::vector<int> const launches{launches_a_round(one.time.median()),
                                        launches_a_round(other.time.median())};
        if (auto ok = rounds_of(both, launches, after_round); !ok) return ok.error();
    }
}

result<comparison> timing_rounds::beats(trial& one, trial& other, rounds_sink const& after_round) {
    auto verdict = decide(one, other, after_round);
    if (!verdict || *verdict != comparison::faster) return verdict;
    if (speedup(other.time, one.time) < 1.25) {
        trial* both[] = {&one, &other};
        if (auto ok = side_by_side(both, after_round); !ok) return ok.error();
        verdict = decide(one, other, after_round);
        if (!verdict || *verdict != comparison::faster) return verdict;
    }
    bool const enough = setup_.parts.decision.is_gain(one.time, other.time, setup_.options);
    return enough ? comparison::faster : comparison::undecided;
}

result<void> timing_rounds::take(trial& t, timed_series series) {
    if (t.failed) return {};
    series.pattern = patterns_.next();
    return setup_.parts.timer.take(setup_, t, series);
}

result<void> timing_rounds::rounds_of(std::span<trial*> all,
                                      std::vector<int> const& launches,
                                      rounds_sink const& after_round) {
    int const turns = rounds();
    std::vector<bool> out(all.size(), false);
    for (int round = 0; round < turns; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            // Every other round runs backwards: who follows whom differs too.
            std::size_t const k = round % 2 == 0 ? i : all.size() - 1 - i;
            if (out[k]) continue;
            if (auto ok = time(*all[k], launches[k]); !ok) return ok.error();
        }
        after_round(round + 1, turns);
        if (setup_.drops_slow_ones() && detail::leader_is_known(all, out, setup_.parts.decision))
            break;
    }
    return {};
}

int timing_rounds::rounds() const { return std::clamp(setup_.options.final_rounds, 1, 1000); }

bool timing_rounds::far_apart(measurement const& faster, measurement const& slower) const {
    return setup_.drops_slow_ones() && std::isfinite(slower.noise().count()) &&
           slower.median() > faster.median() * 1.25;
}

std::optional<failure> timing_rounds::implausible_time(trial const& t) const {
    return check_time(t.time, setup_.device, setup_.task, setup_.suite);
}

} // namespace lkt
