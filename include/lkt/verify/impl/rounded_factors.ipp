// SPDX-License-Identifier: BSL-1.0
// What bounds allow for factors of products that are rounded to the type of the arguments.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/float64_factor.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/rounding_bias.hpp>
#include <lkt/verify/detail/version_runs.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <variant>
#include <vector>

namespace lkt::detail::soundness {

/// How many binary digits an element of a narrow type has; 0 where that is no such type.
unsigned digits_of(scalar_type t) {
    if (t == scalar_type::float16) return 11;
    if (t == scalar_type::bfloat16) return 8;
    if (t == scalar_type::float8_e4m3) return 4;
    return t == scalar_type::float8_e5m2 ? 3 : 0;
}

struct rounded_factors {
    gpu_ref backend;
    compiled_kernel const& kernel; ///< the original's version in `float64_numbers::factors`
    problem const& task;
    test_suite& suite;
    call_context const& context;
    soundness_options const& options;

    /// As `float64::factor_mark` takes them. In a draw a factor is off by as much as it can be,
    /// more than twice what it is on average, so that no bound needs a margin beside the largest
    /// draw of many elements. There are few elements of a size, and one that alone is sensitive may
    /// be near in each draw.
    static constexpr unsigned draws = 10;
    static constexpr double margin_of_small = 2;
    /// So many tests in which nothing moves say that the kernel has no such products.
    static constexpr std::size_t enough = 3;

    /// The arguments in float64, elements of narrow ones with their mark.
    [[nodiscard]] test_case marked(test_case const& test, unsigned draw) const {
        test_case wide = widened(test);
        for (std::size_t k = 0; k < wide.arguments.size(); ++k) {
            unsigned const digits = digits_of(test.arguments[k].type.scalar);
            if (digits == 0 || task.flow(k) == direction::out) continue;
            argument_data& data = wide.arguments[k];
            for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
                std::byte* const at = data.bytes.data() + lane * sizeof(std::uint64_t);
                std::uint64_t bits = 0;
                std::memcpy(&bits, at, sizeof bits);
                if (bits << 1 == 0 || !std::isfinite(data.lane<double>(lane))) continue;
                bits |= float64::factor_mark(digits, draw);
                std::memcpy(at, &bits, sizeof bits);
            }
        }
        return wide;
    }

    [[nodiscard]] bool judged(prepared_test const& t, std::size_t p, std::size_t k) const {
        bool const compared = std::any_of(suite.comparators.begin(),
                                          suite.comparators.end(),
                                          [&](auto const& c) { return c.first == k; });
        scalar_type const type = t.expected[p].type.scalar;
        return p < t.exact.size() && !t.exact[p].bytes.empty() && p < t.limits.size() &&
               digits_of(type) > 4 && !task.arguments[k].bound && !compared;
    }

    /// By how many times an output's bounds widened.
    struct widening {
        double element = 1, rms = 1, bias = 1;
    };

    [[nodiscard]] widening
    widen(std::size_t number, std::size_t p, std::vector<argument_data> const& moved) const {
        prepared_test& t = suite.tests[number];
        argument_data const expected = widened(t.expected[p]);
        tolerance const bound = t.bounds[p];
        // Both outputs are rounded besides, each on average by 0.41 of the most.
        double const outputs =
            std::ldexp(0.58, -static_cast<int>(digits_of(t.expected[p].type.scalar)));
        double needed = 0, rms = 0, bias = 0;
        for (argument_data const& m : moved) {
            for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
                double const e = expected.lane<double>(lane);
                double const far = std::fabs(m.lane<double>(lane) - e);
                if (std::isfinite(far))
                    needed = std::max(needed, far - bound.relative * std::fabs(e));
            }
            auto const f = figures_of(expected, m);
            if (f.rms > 0) rms = std::max(rms, std::hypot(f.rms, outputs));
            double const shared = std::max(std::fabs(f.mean), std::fabs(f.factor));
            if (shared > 0)
                bias = std::max(
                    bias, shared + 2 * outputs / std::sqrt(static_cast<double>(expected.lanes())));
        }
        auto const ratio = [&](double wanted, double now) {
            double const most = chosen_by_lkt(suite, number) ? HUGE_VAL : options.max_widening;
            return now > 0 ? std::clamp(wanted / now, 1.0, most) : 1.0;
        };
        widening const by{ratio(needed, bound.absolute),
                          ratio(rms, t.limits[p].rms),
                          // A row may have one factor in common.
                          ratio(bias, t.limits[p].bias)};
        apply(t, p, by);
        if (p < t.magnitudes.size())
            for (argument_data const& m : moved)
                raise_limits(t.magnitudes[p], t.expected[p], m, t.bounds[p], margin_of_small);
        return by;
    }
    static void apply(prepared_test& t, std::size_t p, widening const& by) {
        t.bounds[p].absolute *= by.element;
        t.limits[p].rms *= by.rms;
        t.limits[p].bias *= by.bias;
    }

    /// Tests whose exact values are not known are treated as the others are in the middle; sizes
    /// within them are not judged.
    void follow(std::size_t p, std::vector<widening> const& all) const {
        auto const middle = [&](double widening::* member) {
            std::vector<double> values;
            for (widening const& w : all) values.push_back(w.*member);
            std::sort(values.begin(), values.end());
            return values[values.size() / 2];
        };
        widening const usual{
            middle(&widening::element), middle(&widening::rms), middle(&widening::bias)};
        for (prepared_test& t : suite.tests) {
            bool const known = p < t.exact.size() && !t.exact[p].bytes.empty();
            if (known || p >= t.limits.size()) continue;
            apply(t, p, usual);
            if (p < t.magnitudes.size()) t.magnitudes[p].clear();
        }
    }

    /// What draws of factors from `first` on make of a test: of as many as may run at once.
    [[nodiscard]] std::deque<std::vector<argument_data>> drawn(test_case const& test,
                                                               unsigned first) const {
        std::deque<test_case> inputs; // runs point to them
        std::vector<version_run> runs;
        auto const last = std::min<std::size_t>(draws, first + versions_at_once(widened(test)));
        for (auto draw = first; draw < last; ++draw)
            runs.push_back({kernel, inputs.emplace_back(marked(test, draw)), 2});
        auto all = outputs_of(backend, runs, task, suite, options.launch_limit, context);
        return {std::move_iterator(all.begin()), std::move_iterator(all.end())};
    }

    void allow() const {
        auto const positions = output_positions(suite.directions);
        std::vector<std::vector<widening>> all(positions.size());
        std::vector<bool> moves(positions.size(), false);
        std::size_t still = 0;
        for (std::size_t number = 0; number < suite.tests.size(); ++number) {
            if (context.stop.stop_requested()) return;
            std::vector<std::vector<argument_data>> moved(positions.size());
            bool const any_moved = std::find(moves.begin(), moves.end(), true) != moves.end();
            prepared_test const& t = suite.tests[number];
            std::deque<std::vector<argument_data>> ahead;
            for (unsigned draw = 0; draw < draws && known_exactly(t); ++draw) {
                if (ahead.empty()) ahead = drawn(t.test, draw);
                auto const outputs = std::move(ahead.front());
                ahead.pop_front();
                if (outputs.empty()) return; // it will not run on others either
                for (std::size_t p = 0; p < positions.size(); ++p) {
                    if (!judged(t, p, positions[p])) continue;
                    moved[p].push_back(off_by(t.expected[p], outputs[p], t.exact[p]));
                    allow_one_sided(
                        suite.tests[number],
                        p,
                        [&](std::size_t lane) { return outputs[p].lane<double>(lane); },
                        margin_of_small);
                    if (outputs[p].bytes != t.exact[p].bytes) moves[p] = true;
                }
            }
            for (std::size_t p = 0; p < positions.size(); ++p)
                if (!moved[p].empty()) all[p].push_back(widen(number, p, moved[p]));
            bool const ran =
                std::any_of(moved.begin(), moved.end(), [](auto const& of) { return !of.empty(); });
            if (ran && !any_moved && ++still >= enough &&
                std::find(moves.begin(), moves.end(), true) == moves.end())
                return;
        }
        for (std::size_t p = 0; p < positions.size(); ++p)
            if (moves[p]) follow(p, all[p]);
    }
};

result<void> allow_rounded_factors(gpu_ref backend,
                                   problem const& task,
                                   test_suite& suite,
                                   call_context const& context,
                                   soundness_options const& options) {
    if (task.properties.compensated) return {};
    bool inputs = false, outputs = false;
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k) {
        unsigned const digits = digits_of(task.signature.arguments[k].type.scalar);
        inputs = inputs || (digits > 0 && task.flow(k) != direction::out);
        outputs = outputs || (digits > 4 && task.flow(k) != direction::in);
    }
    bool const known = std::any_of(
        suite.tests.begin(), suite.tests.end(), [](auto const& t) { return known_exactly(t); });
    if (!inputs || !outputs || !known) return {};
    auto const version = float64_version(task, float64_numbers::factors);
    if (!version) return {};
    auto const compiled = backend.compile(
        request_for_original(*version, suite.reference_configuration, options.compile_limit),
        context);
    if (compiled && std::holds_alternative<compiled_kernel>(*compiled))
        rounded_factors{
            backend, std::get<compiled_kernel>(*compiled), task, suite, context, options}
            .allow();
    if (context.stop.stop_requested()) return cancelled("measuring rounded factors");
    return {};
}

} // namespace lkt::detail::soundness
