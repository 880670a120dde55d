// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/timer.hpp>

#include <lkt/verify/floor.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

/// What arguments of timed launches may take together: on a device as well as here, where the
/// kernel's own buffers and those for restoring them come on top.
bytes max_ring_bytes(device_description const& device) {
    constexpr std::uint64_t most = std::uint64_t{2} << 30;
    std::uint64_t const memory = device.memory.count;
    return bytes{memory == 0 ? most : std::min(most, memory / 4)};
}

/// Marks those that cannot lead any more; true when the leader is known, and whether it is faster
/// than the last one.
bool leader_is_known(std::span<trial*> all, std::vector<bool>& out) {
    trial const* leader = nullptr;
    for (trial const* t : all)
        if (!t->failed && (!leader || t->time.median() < leader->time.median())) leader = t;
    if (!leader) return true;
    bool open = !std::isfinite(leader->time.noise().count());
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (all[k] == leader || all[k]->failed) continue;
        out[k] = out[k] || compare(all[k]->time, leader->time) == comparison::slower;
        open = open || !out[k];
    }
    return !open;
}

} // namespace detail

trial_timer::trial_timer(evaluation_setup const& setup, launch_patterns& patterns)
    : setup_(setup), patterns_(patterns),
      timed_on_(tests_like_the_timed(setup.suite, detail::max_ring_bytes(setup.device))) {}

result<void> trial_timer::screen(trial& t, std::optional<seconds> fastest) {
    int const launches = std::max(1, setup_.options.screening_launches);
    if (!setup_.drops_slow_ones()) return time(t, launches);
    // What a first launch costs besides does not show in a long one: the one that was verified
    // is as good as any other.
    constexpr seconds long_launch{0.5e-3};
    bool const long_one = !t.time.empty() && t.time.minimum() > long_launch;
    series s{long_one ? std::max(1, launches - 1) : launches, 0, {}};
    if (fastest) {
        bool const at_once = *fastest > long_launch;
        double const range = std::max(1.0, setup_.options.race_range);
        seconds const hopeless = *fastest * (at_once ? std::sqrt(range) : range);
        if (at_once && !t.time.empty() && t.time.minimum() > hopeless) return {};
        s.sampling = {.min_launches = at_once ? 1 : s.launches, .give_up_above = hopeless};
    }
    return take(t, s);
}

result<void> trial_timer::time(trial& t, int launches) {
    if (!setup_.drops_slow_ones()) return take(t, {launches, setup_.options.warmups, {}});
    // Caches are emptied before each launch anyway: a warm-up would tell nothing.
    series s{launches, 0, {}};
    s.sampling = {.min_launches = std::min(launches, 6), .precision = 0.005};
    return take(t, s);
}

int trial_timer::launches_a_round(seconds one) const {
    int const turns = rounds();
    int const wanted = std::max(6, setup_.options.final_launches);
    double affordable = wanted;
    if (one.count() > 0) affordable = setup_.options.final_time.count() / one.count();
    double const total = std::clamp(affordable, 6.0, static_cast<double>(wanted));
    return static_cast<int>(std::ceil(total / turns));
}

result<void> trial_timer::side_by_side(std::span<trial*> all, rounds_sink const& after_round) {
    std::vector<int> launches;
    for (trial* t : all) {
        launches.push_back(launches_a_round(t->time.median()));
        t->time = {};
    }
    return rounds_of(all, launches, after_round);
}

result<comparison> trial_timer::decide(trial& one, trial& other, rounds_sink const& after_round) {
    constexpr int extensions = 2;
    for (int extension = 0;; ++extension) {
        if (one.failed || other.failed) return comparison::undecided;
        comparison const verdict = compare(one.time, other.time);
        double const ratio = speedup(one.time, other.time);
        bool const alike = ratio > 1 / 1.05 && ratio < 1.05;
        if (verdict != comparison::undecided || alike || extension == extensions) return verdict;
        trial* both[] = {&one, &other};
        std::vector<int> const launches{launches_a_round(one.time.median()),
                                        launches_a_round(other.time.median())};
        if (auto ok = rounds_of(both, launches, after_round); !ok) return ok.error();
    }
}

result<comparison> trial_timer::beats(trial& one, trial& other, rounds_sink const& after_round) {
    auto verdict = decide(one, other, after_round);
    if (!verdict || *verdict != comparison::faster) return verdict;
    if (speedup(other.time, one.time) < 1.25) {
        trial* both[] = {&one, &other};
        if (auto ok = side_by_side(both, after_round); !ok) return ok.error();
        verdict = decide(one, other, after_round);
        if (!verdict || *verdict != comparison::faster) return verdict;
    }
    bool const enough = one.time.median() <= other.time.median() * (1 - setup_.options.min_gain);
    return enough ? comparison::faster : comparison::undecided;
}

result<void> trial_timer::take(trial& t, series const& s) {
    if (t.failed) return {};
    std::uint64_t const pattern = patterns_.next();
    prepared_test const& test = setup_.suite.tests.front();
    run_request request;
    request.dimensions = t.dimensions;
    request.arguments = test.test.arguments;
    request.directions = setup_.suite.directions;
    request.warmups = s.warmups;
    request.launches = s.launches;
    request.sampling = s.sampling;
    request.keep = setup_.options.verify
                       ? launches_to_keep(pattern, certain_launches(request), s.launches)
                       : std::vector<int>{};
    request.poison_seed = pattern;
    for (std::size_t k = 1; setup_.options.verify && k < timed_on_.size(); ++k) {
        prepared_test const& other = setup_.suite.tests[timed_on_[k]];
        request.ring.push_back({other.test.arguments, other.arguments_id, other.expectation()});
    }
    // What a kernel kept of the launches that verified it is gone when it is timed, and now and
    // then between two series. Without variables there is nothing that it could keep.
    bool const state = t.compiled.writable_bytes.value_or(1) != 0;
    request.fresh = (state && t.time.samples.size() < 2) || pattern >> 62 == 0;
    request.contents = test.arguments_id;
    if (setup_.options.verify) request.expected = test.expectation();
    request.time_limit =
        setup_.options.launch_limit.count() > 0 ? setup_.options.launch_limit : launch_limit(test);
    auto ran = setup_.gpu.run(t.compiled, request, setup_.context);
    if (!ran) return ran.error();
    if (auto* why = std::get_if<failure>(&*ran)) {
        t.failed = std::move(*why);
        return {};
    }
    auto& report = std::get<run_report>(*ran);
    auto wrong = check_outputs(setup_.task, setup_.suite, timed_on_, request.keep, report);
    if (!wrong) return wrong.error();
    if (*wrong) {
        t.failed = std::move(**wrong);
        return {};
    }
    t.time.samples.insert(t.time.samples.end(), report.samples.begin(), report.samples.end());
    if (!report.timing.empty()) how_ = report.timing;
    if (report.occupancy > 0) t.occupancy = report.occupancy;
    return {};
}

result<void> trial_timer::rounds_of(std::span<trial*> all,
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
        if (setup_.drops_slow_ones() && detail::leader_is_known(all, out)) break;
    }
    return {};
}

int trial_timer::rounds() const { return std::clamp(setup_.options.final_rounds, 1, 1000); }

bool trial_timer::far_apart(measurement const& faster, measurement const& slower) const {
    return setup_.drops_slow_ones() && std::isfinite(slower.noise().count()) &&
           slower.median() > faster.median() * 1.25;
}

std::optional<failure> trial_timer::implausible_time(trial const& t) const {
    return check_time(t.time, setup_.device, setup_.task, setup_.suite);
}

} // namespace lkt
