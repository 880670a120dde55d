// SPDX-License-Identifier: BSL-1.0
// What the original itself rounds at inputs near those of a test.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/rounding_bias.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/version_runs.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::soundness {

/// The original and its version in float64, on inputs that are smaller by a small share; and that
/// version with each result rounded, on the very inputs.
struct own_rounding {
    gpu_ref backend;
    compiled_kernel const &original, &wide;
    compiled_kernel const* rounded; ///< null where there is none
    problem const& task;
    test_suite& suite;
    call_context const& context;
    soundness_options const& options;

    /// By what share inputs shrink. Equal numbers stay equal; a narrow input becomes another one.
    static constexpr double shares[] = {0.0147, 0.0317};
    /// Tests with larger arguments, or a slower original, are left as they are.
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;
    static constexpr seconds slowest{0.02};
    static constexpr unsigned draws = 4; ///< of results that are rounded
    static constexpr double margin = 4;  ///< how many times as much an honest rewrite may round
    static constexpr double doubtful = 0x1p-6;

    [[nodiscard]] bool judged(prepared_test const& t, std::size_t p, std::size_t k) const {
        scalar_type const type = t.expected[p].type.scalar;
        bool const compared = std::any_of(suite.comparators.begin(),
                                          suite.comparators.end(),
                                          [&](auto const& c) { return c.first == k; });
        return p < t.exact.size() && !t.exact[p].bytes.empty() && is_floating(type) &&
               !is_float8(type) && !task.arguments[k].bound && !compared;
    }

    [[nodiscard]] bool any_judged(prepared_test const& t) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p)
            if (judged(t, p, positions[p])) return true;
        return false;
    }

    /// Whether the version computes what the original does, on most tests.
    [[nodiscard]] bool trusted() const {
        std::size_t near = 0, of = 0;
        auto const positions = output_positions(suite.directions);
        for (prepared_test const& t : suite.tests)
            for (std::size_t p = 0; p < positions.size(); ++p) {
                if (!judged(t, p, positions[p])) continue;
                near += figures_of(t.exact[p], t.expected[p]).rms <= doubtful;
                ++of;
            }
        return 2 * near > of;
    }

    /// Nothing where no number of the test can shrink within its domain.
    [[nodiscard]] std::optional<test_case> shrunk(test_case const& test, double share) const {
        test_case smaller = test;
        bool any = false;
        for (std::size_t k = 0; k < smaller.arguments.size(); ++k) {
            argument_data& data = smaller.arguments[k];
            if (!is_floating(data.type.scalar) || task.flow(k) == direction::out ||
                task.arguments[k].scratch ||
                (data.buffer && !fair_values(task.signature.arguments[k],
                                             task.arguments[k],
                                             scope_of(test.size, {}))))
                continue;
            value_bounds const within = bounds_of(task.arguments[k]);
            for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
                double const value = lane_as_double(data, lane), by = value * (1 - share);
                if (!std::isfinite(value) || value == 0 || !within.holds(by)) continue;
                store_real(data, lane, by);
                any = true;
            }
        }
        return any ? std::optional(std::move(smaller)) : std::nullopt;
    }

    /// Leaves out the elements that are off by more than a quarter of their bound; false where
    /// these are more than half of an output.
    static bool leave_out(prepared_test& t, std::size_t p, argument_data const& moved) {
        argument_data const& expected = t.expected[p];
        element_set open =
            p < t.open.size() && !t.open[p].empty() ? t.open[p] : element_set(expected.count());
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
            double const e = lane_as_double(expected, lane);
            double const by = std::fabs(lane_as_double(moved, lane) - e);
            if (margin * by > t.bounds[p].absolute + t.bounds[p].relative * std::fabs(e))
                open.mark(lane / expected.type.lanes);
        }
        if (2 * open.count() > open.size()) return false;
        if (open.count() == 0) return true;
        t.open.resize(t.expected.size());
        t.open[p] = std::move(open);
        return true;
    }

    /// Bounds that allow for `margin` times what an output is off by.
    static void widen(prepared_test& t, std::size_t p, argument_data const& moved) {
        argument_data const expected = widened(t.expected[p]);
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
            double const e = expected.lane<double>(lane);
            double const far = margin * std::fabs(moved.lane<double>(lane) - e);
            if (std::isfinite(far))
                t.bounds[p].absolute =
                    std::max(t.bounds[p].absolute, far - t.bounds[p].relative * std::fabs(e));
        }
        if (p >= t.limits.size()) return;
        double const rms = margin * figures_of(expected, moved).rms;
        t.limits[p].rms = std::max(t.limits[p].rms, rms);
        t.limits[p].bias = std::max(t.limits[p].bias, rms);
    }

    /// The test in float64 with each input another one by less than float32 can say: other bits of
    /// a result draw another rounding of it.
    [[nodiscard]] static test_case drawn(test_case const& test, unsigned draw) {
        test_case wide = widened(test);
        for (std::size_t k = 0; k < wide.arguments.size(); ++k) {
            argument_data& data = wide.arguments[k];
            if (!float64::narrow(test.arguments[k].type.scalar)) continue;
            for (std::size_t lane = 0; lane < data.lanes(); ++lane)
                if (data.lane<double>(lane) != 0 && std::isfinite(data.lane<double>(lane)))
                    data.bytes[lane * sizeof(double)] ^= static_cast<std::byte>(draw + 1);
        }
        return wide;
    }

    /// Where the text's own numbers happen to cancel exactly (a row of one element less its mean),
    /// inputs nearby do so, too, and another formula does not. False: the version fails.
    bool allow_other_formula(prepared_test& t, std::vector<argument_data> const& other) const {
        if (other.empty()) return false;
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (!judged(t, p, positions[p])) continue;
            argument_data const moved = off_by(t.expected[p], other[p], t.exact[p]);
            allow_one_sided(
                t, p, [&](std::size_t lane) { return other[p].lane<double>(lane); }, margin);
            if (!leave_out(t, p, moved)) widen(t, p, moved);
            if (p < t.magnitudes.size())
                raise_limits(t.magnitudes[p], t.expected[p], moved, t.bounds[p]);
        }
        return true;
    }

    /// What the original is off by at inputs nearby. False: it, or its version, fails.
    bool allow_beside(prepared_test& t,
                      std::vector<argument_data> const& narrow,
                      std::vector<argument_data> const& exact) const {
        if (narrow.empty() || exact.empty()) return false;
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (!judged(t, p, positions[p])) continue;
            argument_data const moved = off_by(t.expected[p], narrow[p], exact[p]);
            (void)leave_out(t, p, moved);
            if (p < t.magnitudes.size())
                raise_limits(t.magnitudes[p], t.expected[p], moved, t.bounds[p]);
        }
        return true;
    }

    /// What is launched for one test: first the formulas, then pairs of the original and `wide`.
    struct asked {
        std::size_t test = 0, first = 0, formulas = 0, last = 0; ///< the latter three: of the runs
    };

    /// Adds the launches for a test; `inputs` keeps their arguments.
    [[nodiscard]] asked
    ask(std::size_t number, std::deque<test_case>& inputs, std::vector<version_run>& runs) const {
        test_case const& test = suite.tests[number].test;
        asked all{number, runs.size()};
        for (unsigned draw = 0; draw < draws && rounded != nullptr; ++draw)
            runs.push_back({*rounded, inputs.emplace_back(drawn(test, draw)), 2});
        all.formulas = runs.size();
        for (double const share : shares) {
            auto smaller = shrunk(test, share);
            if (!smaller) break;
            test_case const& narrow = inputs.emplace_back(std::move(*smaller));
            runs.push_back({original, narrow, 1});
            runs.push_back({wide, inputs.emplace_back(widened(narrow)), 2});
        }
        all.last = runs.size();
        return all;
    }

    void take(asked const& of, std::vector<std::vector<argument_data>> const& outputs) const {
        prepared_test& t = suite.tests[of.test];
        for (auto k = of.first; k < of.formulas; ++k)
            if (!allow_other_formula(t, outputs[k])) break;
        for (auto k = of.formulas; k < of.last; k += 2)
            if (!allow_beside(t, outputs[k], outputs[k + 1])) return;
    }

    /// The first of these tests, as many as may run at once: what is left of them.
    [[nodiscard]] std::span<std::size_t const> allow(std::span<std::size_t const> numbers) const {
        constexpr std::size_t together = std::size_t{32} << 20;
        std::deque<test_case> inputs; // runs point to them
        std::vector<version_run> runs;
        std::vector<asked> all;
        for (std::size_t bytes = 0; !numbers.empty() && bytes <= together;) {
            prepared_test const& t = suite.tests[numbers.front()];
            if (bytes_of(t.test) <= most_bytes && t.reference_time <= slowest && any_judged(t)) {
                all.push_back(ask(numbers.front(), inputs, runs));
                bytes += 2 * draws * bytes_of(t.test);
            }
            numbers = numbers.subspan(1);
        }
        auto const outputs = outputs_of(backend, runs, task, suite, options.launch_limit, context);
        for (asked const& one : all) take(one, outputs);
        return numbers;
    }
};

std::uint64_t left_out_of(prepared_test const& t) {
    std::uint64_t all = 0;
    for (element_set const& open : t.open) all += open.count();
    return all;
}

result<void> allow_own_rounding(gpu_ref backend,
                                problem const& task,
                                test_suite& suite,
                                call_context const& context,
                                soundness_options const& options) {
    if (task.properties.compensated) return {};
    bool const known = std::any_of(
        suite.tests.begin(), suite.tests.end(), [](auto const& t) { return known_exactly(t); });
    auto const version = known ? float64_version(task) : std::nullopt;
    if (!version) return {};
    auto const compiled = [&](problem const& of) {
        return backend.compile(
            request_for_original(of, suite.reference_configuration, options.compile_limit),
            context);
    };
    auto const original = compiled(task);
    if (!original) return original.error();
    auto const wide = compiled(*version);
    if (!wide) return wide.error();
    auto const* const narrow_kernel = std::get_if<compiled_kernel>(&*original);
    auto const* const wide_kernel = std::get_if<compiled_kernel>(&*wide);
    if (narrow_kernel == nullptr || wide_kernel == nullptr) return {};
    auto const other = float64_version(task, float64_numbers::rounded);
    auto const rounded =
        other ? compiled(*other) : result<compile_outcome>(failure(no_code{"it has none"}));
    own_rounding const beside{backend,
                              *narrow_kernel,
                              *wide_kernel,
                              rounded ? std::get_if<compiled_kernel>(&*rounded) : nullptr,
                              task,
                              suite,
                              context,
                              options};
    if (!beside.trusted()) return {};
    std::vector<std::size_t> numbers;
    std::vector<std::uint64_t> before;
    for (std::size_t number = 0; number < suite.tests.size(); ++number) {
        before.push_back(left_out_of(suite.tests[number]));
        if (chosen_by_lkt(suite, number)) numbers.push_back(number);
    }
    for (std::span<std::size_t const> rest = numbers; !rest.empty();) {
        if (context.stop.stop_requested()) return cancelled("measuring the original's own errors");
        rest = beside.allow(rest);
    }
    std::uint64_t left_out = 0, of = 0;
    for (std::size_t number = 0; number < suite.tests.size(); ++number) {
        prepared_test const& t = suite.tests[number];
        std::uint64_t const more = left_out_of(t) - before[number];
        left_out += more;
        for (argument_data const& e : t.expected) of += more > 0 ? e.count() : 0;
    }
    if (left_out > 0)
        suite.notes.push_back(std::to_string(left_out) + " of " + std::to_string(of) +
                              " outputs are not judged: at inputs nearby the original itself is "
                              "off by more than a quarter of their bound");
    return {};
}

} // namespace lkt::detail::soundness
