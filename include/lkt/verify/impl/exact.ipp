// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/exact.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/float8_truth.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/detail/version_runs.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail::float64 {

/// How many times each default bound an output's own errors ask for; 1 at least.
struct widening {
    double element = 1, rms = 1, bias = 1;
};

} // namespace detail::float64

namespace detail {

argument_data widened(argument_data const& data) {
    if (!float64::narrow(data.type.scalar)) return data;
    argument_data wide{{scalar_type::float64, data.type.lanes},
                       data.buffer,
                       byte_buffer(data.lanes() * sizeof(double))};
    with_reader(data.type.scalar, [&](auto const& read) {
        for (std::size_t k = 0; k < data.lanes(); ++k) {
            double const value = read(data, k);
            std::memcpy(wide.bytes.data() + k * sizeof value, &value, sizeof value);
        }
    });
    return wide;
}

argument_data
off_by(argument_data const& expected, argument_data const& other, argument_data const& exact) {
    argument_data moved = widened(expected), rounded = other;
    for (std::size_t lane = 0; lane < moved.lanes(); ++lane) {
        store_real(rounded, lane, lane_as_double(exact, lane));
        double const by = lane_as_double(other, lane) - lane_as_double(rounded, lane);
        if (std::isfinite(by)) store_real(moved, lane, lane_as_double(expected, lane) + by);
    }
    return moved;
}

test_case widened(test_case const& test) {
    test_case wide{test.name, test.size, {}};
    for (argument_data const& a : test.arguments) wide.arguments.push_back(widened(a));
    return wide;
}

/// The version in float64, compiled, and what it says of the original.
struct float64_trial {
    gpu_ref backend;
    compiled_kernel const& kernel;
    problem const& task; ///< the original's
    test_suite& suite;
    call_context const& context;
    exact_options const& options;

    /// Leaves what the bounds of a test are made from.
    void round_exact(prepared_test& t) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            scalar_type const type = t.expected[p].type.scalar;
            if (!judged(positions[p])) {
                // Of whole numbers it says which ones rounding decides.
                if (is_floating(type) || !decides(task)) t.exact[p] = {};
            } else if (is_float8(type) || is_half_byte(type)) {
                float64::round_as(type, t.exact[p]);
            }
        }
    }

    /// Sets what that version computes on tests: some at once, in their order. False: it fails on
    /// one of them.
    [[nodiscard]] bool set_exact(std::span<std::size_t const> numbers) const {
        constexpr std::size_t together = std::size_t{32} << 20, most = 64;
        while (!numbers.empty()) {
            std::deque<test_case> inputs; // runs point to them
            std::vector<version_run> runs;
            for (std::size_t bytes = 0; runs.size() < std::min(most, numbers.size());) {
                auto const& test = suite.tests[numbers[runs.size()]].test;
                bytes += 2 * bytes_of(test);
                if (!runs.empty() && bytes > together) break;
                runs.push_back({kernel, inputs.emplace_back(widened(test)), 2});
            }
            auto outputs = outputs_of(backend, runs, task, suite, options.launch_limit, context);
            for (auto& of : outputs) {
                prepared_test& t = suite.tests[numbers.front()];
                if (of.empty()) return false; // it will not run on others either
                t.exact = std::move(of);
                round_exact(t);
                numbers = numbers.subspan(1);
            }
        }
        return true;
    }

    /// Whether it is worth its time to know a test in float64.
    [[nodiscard]] bool measurable(prepared_test const& t) const {
        auto const bytes = detail::bytes_of(t.test);
        // A long sum in float32 tells nothing without.
        bool const grown = t.test.origin == test_origin::grown_extent;
        bool const small =
            bytes <= options.test_bytes && !(slow(t) && bytes > options.test_bytes / 16);
        return (grown || small) && t.limits.size() == output_positions(suite.directions).size();
    }

    /// An original, or a version, that is off by more of its scale proves little.
    static constexpr double doubtful = 0x1p-6;

    /// Whether an output can be nearer to exact values than the original's.
    [[nodiscard]] bool judged(std::size_t argument) const {
        return float64::narrow(task.signature.arguments[argument].type.scalar) &&
               !task.arguments[argument].scratch;
    }
    /// Whether default bounds hold for it.
    [[nodiscard]] bool by_default(std::size_t argument) const {
        return judged(argument) && !task.arguments[argument].bound;
    }

    /// What one output's errors ask for; nothing where they say nothing. `trusted`: on most tests
    /// the version computes what the original does; then nothing limits what it says of tests that
    /// lkt chose, on which the original may lose all its digits.
    [[nodiscard]] std::optional<float64::widening> measured(prepared_test const& t,
                                                            std::size_t p,
                                                            argument_data const& exact,
                                                            error_figures const& f,
                                                            bool trusted) const {
        if (f.lanes != exact.lanes() || !(f.scale > 0)) return std::nullopt;
        bool const chosen = t.test.origin != test_origin::asked;
        if (f.rms > doubtful && chosen && !trusted) return std::nullopt;
        if (f.rms > doubtful && !chosen) {
            suite.notes.push_back(
                "the original kernel's output `" +
                task.signature.arguments[output_positions(suite.directions)[p]].name +
                "` on test `" + t.test.name + "` is off by " + significant(f.rms) +
                " of its scale from what its text computes in float64");
            return std::nullopt;
        }
        tolerance const& bound = t.bounds[p];
        double const needed = with_reader(t.expected[p].type.scalar, [&](auto read) {
            double most = 0;
            for (std::size_t k = 0; k < exact.lanes(); ++k) {
                double const e = read(t.expected[p], k);
                most = std::max(most,
                                options.margin * std::fabs(exact.lane<double>(k) - e) -
                                    bound.relative * std::fabs(e));
            }
            return most;
        });
        auto const ratio = [&](double wanted, double now) {
            double const most = chosen && trusted ? HUGE_VAL : std::max(1.0, options.max_widening);
            return now > 0 ? std::clamp(wanted / now, 1.0, most) : 1.0;
        };
        error_limits const& whole = t.limits[p];
        return float64::widening{
            ratio(needed, bound.absolute),
            ratio(options.margin * f.rms, whole.rms),
            // Errors of the size of the original's own may have a direction in common, by chance.
            ratio(std::max(options.margin * std::max(std::fabs(f.mean), std::fabs(f.factor)),
                           2 * f.rms),
                  whole.bias)};
    }

    /// A machine that is slow for a moment is no reason to know less of a test with little to do.
    [[nodiscard]] bool slow(prepared_test const& t) const {
        return t.reference_time > seconds{1} ||
               (t.reference_time > seconds{0.1} && counted_work(task, t.test) > 0x1p27);
    }

    static void widen(prepared_test& t, std::size_t p, float64::widening const& by) {
        t.bounds[p].absolute *= by.element;
        t.limits[p].rms *= by.rms;
        t.limits[p].bias *= by.bias;
    }

    void fit() const {
        auto const positions = output_positions(suite.directions);
        std::vector<bool> done(suite.tests.size(), false);
        std::vector<std::vector<float64::widening>> all(positions.size());
        std::vector<std::vector<error_figures>> figures(suite.tests.size());
        std::size_t near = 0, of = 0; // outputs
        std::vector<std::size_t> numbers;
        for (std::size_t n = 0; n < suite.tests.size(); ++n)
            if (measurable(suite.tests[n])) numbers.push_back(n);
        (void)set_exact(numbers);
        for (std::size_t const n : numbers) {
            prepared_test& t = suite.tests[n];
            if (t.exact.empty()) break;
            done[n] = true;
            figures[n].resize(positions.size());
            for (std::size_t p = 0; p < positions.size(); ++p) {
                if (!judged(positions[p])) continue;
                figures[n][p] = figures_of(t.exact[p], t.expected[p]);
                near += figures[n][p].rms <= doubtful;
                ++of;
            }
        }
        bool const trusted = 2 * near > of;
        for (std::size_t n = 0; n < suite.tests.size(); ++n)
            for (std::size_t p = 0; p < positions.size() && done[n]; ++p) {
                prepared_test& t = suite.tests[n];
                if (!by_default(positions[p])) continue;
                auto const by = measured(t, p, t.exact[p], figures[n][p], trusted);
                if (!by) continue;
                widen(t, p, *by);
                all[p].push_back(*by);
            }
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (all[p].empty()) continue;
            auto const median = [&](auto member) {
                std::vector<double> values;
                for (auto const& w : all[p]) values.push_back(w.*member);
                std::sort(values.begin(), values.end());
                return values[(values.size() - 1) / 2];
            };
            float64::widening const usual{median(&float64::widening::element),
                                          median(&float64::widening::rms),
                                          median(&float64::widening::bias)};
            for (std::size_t n = 0; n < suite.tests.size(); ++n)
                if (!done[n] && p < suite.tests[n].limits.size()) widen(suite.tests[n], p, usual);
        }
    }
};

result<void> fit_bounds(gpu_ref backend,
                        problem const& task,
                        test_suite& suite,
                        call_context const& context,
                        exact_options const& options) {
    auto const wide = float64_version(task);
    if (!wide) return {};
    auto compiled = backend.compile(
        request_for_original(*wide, suite.reference_configuration, options.compile_limit), context);
    if (compiled && std::holds_alternative<compiled_kernel>(*compiled))
        float64_trial{backend, std::get<compiled_kernel>(*compiled), task, suite, context, options}
            .fit();
    if (context.stop.stop_requested()) return cancelled("measuring the original's own errors");
    return {};
}

} // namespace detail

} // namespace lkt
