// SPDX-License-Identifier: BSL-1.0
// Runs beside a test, and the elements that move in them.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::soundness {

result<std::string> conditioning::fit(std::size_t number) const {
    prepared_test& t = suite.tests[number];
    std::uint32_t const units = units_of(t);
    auto ran = probed(number, 0);
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
        if (auto ok = look_again(number); !ok) return ok.error();
        return said;
    }
    return "when inputs move by " + std::to_string(units) + (units == 1 ? " unit" : " units") +
           " in the last place, " + said;
}

result<run_outcome>
conditioning::beside(std::size_t number, std::uint32_t draw, moving_style how) const {
    prepared_test const& t = suite.tests[number];
    auto const dimensions =
        task.launch.evaluate(scope_of(t.test.size, suite.reference_configuration));
    if (!dimensions) return dimensions.error();
    auto const stream = static_cast<std::uint32_t>(number) + (draw << 16);
    if (wide != nullptr) return beside_wide(t, stream, how, *dimensions);
    test_case const moved = moved_by_units(task, t.test, units_of(t), options.seed, stream, how);
    seconds const limit = std::min(options.launch_limit, launch_limit(t));
    auto const request = request_on(moved, suite.directions, *dimensions, 1, options.seed, limit);
    return launch(backend, kernel, request, moved, suite.directions, context);
}

result<run_outcome> conditioning::beside_wide(prepared_test const& t,
                                              std::uint32_t stream,
                                              moving_style how,
                                              launch_dimensions dimensions) const {
    auto const units = static_cast<std::uint64_t>(units_of(t) * growth_of_sums(t) * 0x1p29);
    // No sum in float64 absorbs what decides, and inputs so narrow are often equal.
    how.unit = unit_of::each;
    how.equals_alike = decides(task);
    test_case const moved = moved_wide(*wide, widened(t.test), units, options.seed, stream, how);
    dimensions.shared_bytes *= 2;
    seconds const limit = std::min(options.launch_limit, launch_limit(t));
    auto const request = request_on(moved, suite.directions, dimensions, 1, options.seed, limit);
    auto ran = launch(backend, kernel, request, moved, suite.directions, context);
    if (!ran) return ran.error();
    run_report report;
    report.kept.emplace_back();
    auto& outputs = report.kept.front().outputs;
    outputs = t.expected;
    if (auto const* const there = std::get_if<run_report>(&*ran))
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
    return run_outcome(std::move(report));
}

result<void> conditioning::look_again(std::size_t number) const {
    constexpr std::uint32_t first = 100, last = 103;
    prepared_test& t = suite.tests[number];
    auto const positions = output_positions(suite.directions);
    for (std::uint32_t draw = first; draw < last; ++draw) {
        bool const none = std::all_of(t.magnitudes.begin(),
                                      t.magnitudes.end(),
                                      [](auto const& limits) { return limits.empty(); });
        if (none || !chosen(number) || !affordable(number)) break;
        bool const alike = draw % 2 == 1 && decides(task);
        auto const ran = beside(number, draw, {.unit = alike ? unit_of::largest : unit_of::each});
        if (!ran) return ran.error();
        auto const* const report = std::get_if<run_report>(&*ran);
        if (report == nullptr) break;
        for (std::size_t p = 0; p < positions.size(); ++p)
            raise_limits(
                t.magnitudes[p], t.expected[p], report->kept.front().outputs[p], t.bounds[p]);
    }
    return {};
}

unsigned conditioning::farthest(int probe) const { return probe > 0 && decides(task) ? 16 : 1; }

result<run_outcome> conditioning::probed(std::size_t number, int probe) const {
    auto const p = static_cast<std::uint32_t>(probe);
    if (probe == 0 || !decides(task)) return beside(number, p, {});
    // What a sum or a difference rounds depends on its largest terms, and small ones that it
    // absorbs in one order may decide in another.
    std::uint32_t const pair = (p + 1) / 2;
    return beside(number,
                  pair,
                  {.unit = pair % 2 == 1 ? unit_of::largest : unit_of::each,
                   .farthest = farthest(probe),
                   .reversed = p % 2 == 0});
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
    std::size_t const last = decides(task) ? 4 : 5, least = decides(task) ? least_runs : last;
    if (marked.size() < least) return false;
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
    for (int probe = 0; probe < options.probes && !endless && !settled(marked); ++probe) {
        std::vector<argument_data> now;
        if (probe == 0) {
            now = first;
        } else {
            auto ran = probed(number, probe);
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
