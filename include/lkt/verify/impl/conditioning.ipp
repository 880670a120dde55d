// SPDX-License-Identifier: BSL-1.0
// Runs beside a test, and the elements that move in them.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/detail/version_runs.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::soundness {

result<std::string> conditioning::fit(std::size_t number) const {
    prepared_test& t = suite.tests[number];
    std::uint32_t const units = units_of(t);
    // With the first launch go those that are most likely needed as well.
    std::vector<move> moves{{}};
    auto const more = more_moves();
    bool const at_once = looks_again(number) && versions_at_once(t.test) > more.size();
    if (at_once) moves.insert(moves.end(), more.begin(), more.end());
    auto runs = beside(number, moves);
    auto& ran = runs.front();
    if (!ran) return ran.error();
    std::string said;
    if (auto const* failed = std::get_if<failure>(&*ran)) {
        said = "it fails (" + describe(*failed) + ")";
    } else {
        auto outputs = std::move(std::get<run_report>(*ran).kept.front().outputs);
        keep_finite(t, t.expected);
        keep_finite(t, outputs);
        said = widen(t, outputs);
        bool const look = decides(task) || (!said.empty() && chosen(number));
        if (look && affordable(number)) {
            auto const left = leave_out(number, outputs);
            if (!left) return left.error();
            if (*left)
                said = widen(t, outputs);
            else if (said.empty() && chosen(number))
                said = "more of its elements move in each run";
            if (!said.empty()) t.open.clear();
        }
    }
    if (said.empty()) {
        if (!looks_again(number)) return said;
        if (!at_once) {
            auto later = beside(number, more);
            std::move(later.begin(), later.end(), std::back_inserter(runs));
        }
        if (auto ok = look_again(number, std::span{runs}.subspan(1)); !ok) return ok.error();
        return said;
    }
    return "when inputs move by " + std::to_string(units) + (units == 1 ? " unit" : " units") +
           " in the last place, " + said;
}

test_case
conditioning::moved_beside(prepared_test const& t, std::uint32_t stream, moving_style how) const {
    if (wide == nullptr)
        return moved_by_units(task, t.test, units_of(t), options.seed, stream, how);
    auto const units = static_cast<std::uint64_t>(units_of(t) * growth_of_sums(t) * 0x1p29);
    // No sum in float64 absorbs what decides, and inputs so narrow are often equal.
    how.unit = unit_of::each;
    how.equals_alike = decides(task);
    return moved_wide(*wide, widened(t.test), units, options.seed, stream, how);
}

std::vector<result<run_outcome>> conditioning::beside(std::size_t number,
                                                      std::span<move const> moves) const {
    prepared_test const& t = suite.tests[number];
    seconds const limit = std::min(options.launch_limit, launch_limit(t));
    std::size_t const at_once = versions_at_once(t.test);
    std::vector<result<run_outcome>> all;
    while (!moves.empty()) {
        auto const now = moves.first(std::min(at_once, moves.size()));
        std::deque<test_case> inputs; // runs point to them
        std::vector<version_run> runs;
        for (auto const& [draw, how] : now) {
            auto const stream = static_cast<std::uint32_t>(number) + (draw << 16);
            runs.push_back({kernel,
                            inputs.emplace_back(moved_beside(t, stream, how)),
                            wide == nullptr ? 1U : 2U});
        }
        for (auto& ran : runs_of_versions(backend, runs, task, suite, limit, context)) {
            if (ran && wide != nullptr) ran = narrowed(t, *ran);
            all.push_back(std::move(ran));
        }
        moves = moves.subspan(now.size());
    }
    return all;
}

run_outcome conditioning::narrowed(prepared_test const& t, run_outcome const& ran) const {
    run_report report;
    report.kept.emplace_back();
    auto& outputs = report.kept.front().outputs;
    outputs = t.expected;
    if (auto const* const there = std::get_if<run_report>(&ran))
        for (std::size_t p = 0; p < outputs.size(); ++p) {
            if (t.exact[p].bytes.empty()) continue;
            argument_data const& now = there->kept.front().outputs[p];
            for (std::size_t lane = 0; lane < outputs[p].lanes(); ++lane) {
                double const by = lane_as_double(now, lane) - lane_as_double(t.exact[p], lane);
                if (is_floating(outputs[p].type.scalar))
                    store_real(outputs[p], lane, lane_as_double(t.expected[p], lane) + by);
                else if (by != 0)
                    outputs[p].bytes[lane * size_of(outputs[p].type.scalar)] ^= std::byte{1};
            }
        }
    return report;
}

bool conditioning::looks_again(std::size_t number) const {
    auto const& magnitudes = suite.tests[number].magnitudes;
    bool const any = std::any_of(
        magnitudes.begin(), magnitudes.end(), [](auto const& limits) { return !limits.empty(); });
    return any && chosen(number) && affordable(number);
}

std::vector<conditioning::move> conditioning::more_moves() const {
    constexpr std::uint32_t first = 100, last = 103;
    std::vector<move> all;
    for (std::uint32_t draw = first; draw < last; ++draw) {
        bool const alike = draw % 2 == 1 && decides(task);
        all.push_back({draw, {.unit = alike ? unit_of::largest : unit_of::each}});
    }
    return all;
}

result<void> conditioning::look_again(std::size_t number,
                                      std::span<result<run_outcome> const> runs) const {
    prepared_test& t = suite.tests[number];
    for (auto const& ran : runs) {
        if (!ran) return ran.error();
        auto const* const report = std::get_if<run_report>(&*ran);
        if (report == nullptr) break;
        for (std::size_t p = 0; p < t.expected.size(); ++p)
            raise_limits(
                t.magnitudes[p], t.expected[p], report->kept.front().outputs[p], t.bounds[p]);
    }
    return {};
}

unsigned conditioning::farthest(int probe) const { return probe > 0 && decides(task) ? 16 : 1; }

conditioning::move conditioning::move_of(int probe) const {
    auto const p = static_cast<std::uint32_t>(probe);
    if (probe == 0 || !decides(task)) return {p, {}};
    // What a sum or a difference rounds depends on its largest terms, and small ones that it
    // absorbs in one order may decide in another.
    std::uint32_t const pair = (p + 1) / 2;
    return {pair,
            {.unit = pair % 2 == 1 ? unit_of::largest : unit_of::each,
             .farthest = farthest(probe),
             .reversed = p % 2 == 0}};
}

std::deque<result<run_outcome>>
conditioning::probed(std::size_t number, int first, std::size_t most) const {
    most = std::min(most, versions_at_once(suite.tests[number].test));
    std::vector<move> moves;
    for (int probe = first; probe < options.probes && moves.size() < most; ++probe)
        moves.push_back(move_of(probe));
    auto all = beside(number, moves);
    return {std::move_iterator(all.begin()), std::move_iterator(all.end())};
}

void conditioning::leave_out_rounded(prepared_test& t) const {
    for (std::size_t p = 0; p < t.exact.size() && p < t.open.size(); ++p) {
        argument_data const &expected = t.expected[p], &exact = t.exact[p];
        if (exact.bytes.empty() || is_floating(expected.type.scalar)) continue;
        element_set others(expected.count());
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
            if (lane_as_double(expected, lane) != lane_as_double(exact, lane))
                others.mark(lane / expected.type.lanes);
        if (16 * others.count() <= others.size()) t.open[p] = std::move(others);
    }
}

void conditioning::keep_finite(prepared_test& t, std::vector<argument_data> const& outputs) const {
    t.finite.resize(outputs.size(), true);
    for (std::size_t p = 0; p < outputs.size(); ++p) {
        scalar_type const type = outputs[p].type.scalar;
        t.finite[p] = t.finite[p] && is_floating(type) && count_not_finite(outputs[p]) == 0 &&
                      largest_magnitude(outputs[p]) <= 0x1p-8 * largest_finite(type);
    }
}

bool conditioning::settled(std::vector<std::uint64_t> const& marked) const {
    // An element that rounding decides moves in some of the runs, and an honest rewrite is one run
    // more. Runs that move inputs further than rounding does may find some that are further off.
    std::size_t const last = decides(task) ? 4 : 5;
    if (marked.size() < least_of(task)) return false;
    std::uint64_t const now = marked.back();
    std::uint64_t const before = marked.size() > last ? marked[marked.size() - 1 - last] : 0;
    return decides(task) ? 16 * (now - before) <= now : now == before;
}

result<bool> conditioning::leave_out(std::size_t number,
                                     std::vector<argument_data>& outputs) const {
    prepared_test& t = suite.tests[number];
    auto const positions = output_positions(suite.directions);
    t.open.clear();
    for (argument_data const& e : t.expected) t.open.emplace_back(e.count());
    if (decides(task)) leave_out_rounded(t);
    std::vector<argument_data> const first = outputs;
    std::uint64_t const share = chosen(number) ? 2 : 16;
    std::vector<std::uint64_t> marked; // after each run
    bool endless = false;
    std::deque<result<run_outcome>> ahead;
    for (int probe = 0; probe < options.probes && !endless && !settled(marked); ++probe) {
        std::vector<argument_data> now;
        if (probe == 0) {
            now = first;
        } else {
            // At first as many as are always needed.
            if (ahead.empty()) ahead = probed(number, probe, probe == 1 ? least_of(task) - 1 : 3);
            auto ran = std::move(ahead.front());
            ahead.pop_front();
            if (!ran) return ran.error();
            if (!std::holds_alternative<run_report>(*ran)) break;
            now = std::move(std::get<run_report>(*ran).kept.front().outputs);
            keep_finite(t, now);
        }
        std::uint64_t all = 0;
        for (std::size_t p = 0; p < positions.size() && !endless; ++p) {
            if (task.arguments[positions[p]].scratch) continue;
            endless = !leave_out_of(t, p, positions[p], now[p], farthest(probe)) ||
                      share * t.open[p].count() > t.open[p].size();
            all += t.open[p].count();
        }
        marked.push_back(all);
    }
    if (endless || !settled(marked)) {
        t.open.clear();
        return false;
    }
    for (std::size_t p = 0; p < positions.size(); ++p) outputs[p] = without_open(t, p, first[p]);
    return true;
}

bool conditioning::leave_out_of(prepared_test& t,
                                std::size_t p,
                                std::size_t k,
                                argument_data const& got,
                                unsigned farthest) const {
    if (by_default(t, p, k)) {
        argument_data const& expected = t.expected[p];
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
            if (times_of_bound(t, p, lane, got) * shared_by(t) > options.max_widening * farthest)
                t.open[p].mark(lane / expected.type.lanes);
        return true;
    }
    if (judged_by_comparator(k)) return false;
    auto const m = judge_narrowly(t, p, got);
    if (!m) return true;
    if (!m->whole.empty()) return false;
    for (std::uint64_t e = m->wrong.next(0); e < m->wrong.size(); e = m->wrong.next(e + 1))
        t.open[p].mark(e);
    return true;
}

} // namespace lkt::detail::soundness
