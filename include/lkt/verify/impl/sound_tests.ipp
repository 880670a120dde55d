// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/sound_tests.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/tolerance.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail::soundness {

/// The floating type of which a unit in the last place is what rounding makes of an input.
scalar_type moving_type(problem const& task) {
    auto const wide = [](argument const& a) { return a.type.scalar == scalar_type::float64; };
    auto const& all = task.signature.arguments;
    return std::any_of(all.begin(), all.end(), wide) ? scalar_type::float64 : scalar_type::float32;
}

bool moves(problem const& task, test_case const& test, std::size_t argument) {
    return task.flow(argument) != direction::out && !task.arguments[argument].scratch &&
           test.arguments[argument].type.scalar == moving_type(task) &&
           (!test.arguments[argument].buffer || fair_values(task.signature.arguments[argument],
                                                            task.arguments[argument],
                                                            scope_of(test.size, {})));
}

/// The largest finite number among those that move.
template <class Real>
Real largest_of(problem const& task, test_case const& test) {
    Real largest = 0;
    for (std::size_t k = 0; k < test.arguments.size(); ++k) {
        if (moves(task, test, k))
            largest = std::max(largest, static_cast<Real>(largest_magnitude(test.arguments[k])));
    }
    return largest;
}

/// All lanes by the same, zeros, too.
template <class Real>
void move_alike(argument_data& data, Real step, value_bounds within, random_stream const& stream) {
    std::uint64_t directions = 0; // of the next 64 lanes
    for (std::size_t lane = 0; lane < data.lanes(); ++lane, directions >>= 1) {
        if (lane % 64 == 0) directions = stream.bits(lane / 64);
        Real const value = data.lane<Real>(lane);
        if (!std::isfinite(value)) continue;
        // At an end of the domain there is one way only.
        for (Real const way :
             {(directions & 1) != 0 ? step : -step, (directions & 1) != 0 ? -step : step}) {
            Real const moved = value + way;
            if (!std::isfinite(moved) || !within.holds(static_cast<double>(moved))) continue;
            std::memcpy(data.bytes.data() + lane * sizeof moved, &moved, sizeof moved);
            break;
        }
    }
}

/// Lanes of `Real`, whose bits as a `Bits` are a sign and, below it, a magnitude that grows with
/// the number's.
template <class Real, class Bits>
void move_lanes(argument_data& data,
                std::uint64_t units,
                value_bounds within,
                random_stream const& stream) {
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
    static_assert(lanes_in_chunk % 64 == 0, "each chunk begins with directions of its own");
    auto const some = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        std::uint64_t directions = 0; // of the next 64 lanes
        for (std::size_t lane = first; lane < last; ++lane, directions >>= 1) {
            if (lane % 64 == 0) directions = stream.bits(lane / 64);
            std::byte* const place = data.bytes.data() + lane * sizeof(Bits);
            Bits bits = 0;
            std::memcpy(&bits, place, sizeof bits);
            if ((bits & magnitude) <= units) continue; // 0, or next to it
            // From the largest number, and from an end of the domain, there is one way only; from
            // NaN and infinity none.
            if (!std::isfinite(data.lane<Real>(lane))) continue;
            for (bool const up : {(directions & 1) != 0, (directions & 1) == 0}) {
                auto const there = static_cast<Bits>(up ? bits + units : bits - units);
                Real moved = 0;
                std::memcpy(&moved, &there, sizeof moved);
                if (!std::isfinite(moved) || !within.holds(static_cast<double>(moved))) continue;
                std::memcpy(place, &there, sizeof there);
                break;
            }
        }
    };
    (void)for_each_chunk(data.lanes(), threads_for(data.lanes()), {}, some); // nobody stops it
}

template <class Real, class Bits>
test_case moved_in(problem const& task,
                   test_case const& test,
                   std::uint64_t units,
                   std::uint64_t seed,
                   std::uint32_t t,
                   unit_of unit) {
    test_case moved = test;
    Real step = 0;
    if (unit == unit_of::largest) {
        Real const largest = largest_of<Real>(task, test);
        step = (largest - std::nextafter(largest, Real{0})) * static_cast<Real>(units);
    }
    for (std::size_t k = 0; k < moved.arguments.size(); ++k) {
        if (!moves(task, test, k)) continue;
        // Neither generators nor the oracle use the upper quarter of the test numbers.
        random_stream const stream{seed, 0xc0000000u + t, static_cast<std::uint32_t>(k)};
        value_bounds const within = bounds_of(task.arguments[k]);
        if (unit == unit_of::largest)
            move_alike(moved.arguments[k], step, within, stream);
        else
            move_lanes<Real, Bits>(moved.arguments[k], units, within, stream);
    }
    return moved;
}

/// The original, compiled once more, on inputs that are next to those of a test.
struct conditioning {
    gpu_ref backend;
    compiled_kernel const& kernel;
    /// The original's version in float64, of which `kernel` is, where its inputs are so narrow that
    /// a unit of them is no rounding error; null: `kernel` is of `task`.
    problem const* wide;
    problem const& task;
    test_suite& suite;
    call_context const& context;
    soundness_options const& options;

    /// Widens the bounds of a test by what the original moves, and leaves out elements that move
    /// further. What to say of the original where neither will do; empty where it will.
    [[nodiscard]] result<std::string> fit(std::size_t number) const {
        prepared_test& t = suite.tests[number];
        std::uint32_t const units = units_to_move(task, t);
        auto ran = beside(number, 0);
        if (!ran) return ran.error();
        std::string said;
        if (auto const* failed = std::get_if<failure>(&*ran)) {
            said = "it fails (" + describe(*failed) + ")";
        } else {
            auto outputs = std::move(std::get<run_report>(*ran).kept.front().outputs);
            said = widen(t, outputs);
            if ((!said.empty() || (wide == nullptr && decides(task))) && maskable(number)) {
                auto const left = leave_out(number, outputs);
                if (!left) return left.error();
                if (*left)
                    said = widen(t, outputs);
                else if (said.empty())
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

private:
    /// The original's launch beside a test, in the directions of this probe. Where sums decide
    /// integers, every second one moves all inputs by the same: what a sum or a difference rounds
    /// depends on its largest terms, and small ones that it absorbs in one order may decide in
    /// another.
    [[nodiscard]] result<run_outcome> beside(std::size_t number, std::uint32_t probe) const {
        prepared_test const& t = suite.tests[number];
        auto const dimensions =
            task.launch.evaluate(scope_of(t.test.size, suite.reference_configuration));
        if (!dimensions) return dimensions.error();
        auto const stream = static_cast<std::uint32_t>(number) + (probe << 16);
        if (wide != nullptr) return beside_wide(t, stream, *dimensions);
        bool const alike = probe % 2 == 1 && decides(task);
        test_case const moved = moved_by_units(task,
                                               t.test,
                                               units_to_move(task, t),
                                               options.seed,
                                               stream,
                                               alike ? unit_of::largest : unit_of::each);
        seconds const limit = std::min(options.launch_limit, launch_limit(t));
        auto const request =
            request_on(moved, suite.directions, *dimensions, 1, options.seed, limit);
        return launch(backend, kernel, request, moved, suite.directions, context);
    }

    /// In float64, by units of float32, in which a kernel computes with narrow numbers; at once by
    /// as many as sums may have in common, since a small move is lost in a narrow output. What it
    /// is moved by is added to what is expected; integers stay.
    [[nodiscard]] result<run_outcome>
    beside_wide(prepared_test const& t, std::uint32_t stream, launch_dimensions dimensions) const {
        auto const units =
            static_cast<std::uint64_t>(units_to_move(task, t) * growth_of_sums(t) * 0x1p29);
        test_case const moved = moved_in<double, std::uint64_t>(
            *wide, widened(t.test), units, options.seed, stream, unit_of::each);
        dimensions.shared_bytes *= 2;
        seconds const limit = std::min(options.launch_limit, launch_limit(t));
        auto const request =
            request_on(moved, suite.directions, dimensions, 1, options.seed, limit);
        auto ran = launch(backend, kernel, request, moved, suite.directions, context);
        if (!ran) return ran.error();
        run_report report;
        report.kept.emplace_back();
        auto& outputs = report.kept.front().outputs;
        outputs = t.expected;
        if (auto const* const there = std::get_if<run_report>(&*ran))
            for (std::size_t p = 0; p < outputs.size(); ++p) {
                if (t.exact[p].bytes.empty()) continue;
                for (std::size_t lane = 0; lane < outputs[p].lanes(); ++lane)
                    store_real(outputs[p],
                               lane,
                               lane_as_double(t.expected[p], lane) +
                                   lane_as_double(there->kept.front().outputs[p], lane) -
                                   lane_as_double(t.exact[p], lane));
            }
        return run_outcome(std::move(report));
    }

    /// Small elements have bounds of their own. One run says little of them where a few terms
    /// cancel: both may move by the same.
    [[nodiscard]] result<void> look_again(std::size_t number) const {
        constexpr std::uint32_t first = 100, last = 103;
        prepared_test& t = suite.tests[number];
        auto const positions = output_positions(suite.directions);
        for (std::uint32_t probe = first; probe < last && maskable(number); ++probe) {
            if (std::all_of(t.magnitudes.begin(), t.magnitudes.end(), [](auto const& limits) {
                    return limits.empty();
                }))
                break;
            auto const ran = beside(number, probe);
            if (!ran) return ran.error();
            auto const* const report = std::get_if<run_report>(&*ran);
            if (report == nullptr) break;
            for (std::size_t p = 0; p < positions.size(); ++p)
                raise_limits(
                    t.magnitudes[p], t.expected[p], report->kept.front().outputs[p], t.bounds[p]);
        }
        return {};
    }

    [[nodiscard]] bool maskable(std::size_t number) const {
        return number > 0 && suite.tests[number].test.origin != test_origin::asked &&
               options.probes * suite.tests[number].reference_time <= options.probing;
    }
    /// Leaves out the elements that move, and takes what is expected of them into `outputs`, the
    /// first probe's. False: there is no end to them.
    [[nodiscard]] result<bool> leave_out(std::size_t number,
                                         std::vector<argument_data>& outputs) const {
        prepared_test& t = suite.tests[number];
        auto const positions = output_positions(suite.directions);
        t.open.clear();
        for (argument_data const& e : t.expected) t.open.emplace_back(e.count());
        std::vector<argument_data> const first = outputs;
        // An element that rounding decides moves in some of the runs, and an honest rewrite is one
        // run more.
        constexpr int enough = 5;
        int quiet = 0;
        for (int probe = 0; probe < options.probes && quiet < enough; ++probe) {
            std::vector<argument_data> now;
            if (probe == 0) {
                now = first;
            } else {
                auto ran = beside(number, static_cast<std::uint32_t>(probe));
                if (!ran) return ran.error();
                if (!std::holds_alternative<run_report>(*ran)) return false;
                now = std::move(std::get<run_report>(*ran).kept.front().outputs);
            }
            bool grew = false;
            for (std::size_t p = 0; p < positions.size(); ++p) {
                if (task.arguments[positions[p]].scratch) continue;
                auto const more = leave_out_of(t, p, positions[p], now[p]);
                if (!more || 2 * t.open[p].count() > t.open[p].size()) return false;
                grew = grew || *more;
            }
            quiet = grew ? 0 : quiet + 1;
        }
        for (std::size_t p = 0; p < positions.size(); ++p)
            outputs[p] = without_open(t, p, first[p]);
        return quiet == enough;
    }
    /// Whether there were any; nothing where a comparator judges, or the output as a whole moves.
    [[nodiscard]] std::optional<bool>
    leave_out_of(prepared_test& t, std::size_t p, std::size_t k, argument_data const& got) const {
        std::uint64_t const before = t.open[p].count();
        if (by_default(t, p, k)) {
            argument_data const& expected = t.expected[p];
            for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
                if (times_of_bound(t, p, lane, got) * shared_by(t) > options.max_widening)
                    t.open[p].mark(lane / expected.type.lanes);
            return t.open[p].count() > before;
        }
        if (judged_by_comparator(k)) return std::nullopt;
        auto const m = judge_narrowly(t, p, got);
        if (!m) return false;
        if (!m->whole.empty()) return std::nullopt;
        for (std::uint64_t e = m->wrong.next(0); e < m->wrong.size(); e = m->wrong.next(e + 1))
            t.open[p].mark(e);
        return true;
    }
    /// Rounding in a sum of K terms may be the root of K times what it is in one, and all that the
    /// sum goes into have it in common. The number of units has the terms that sizes tell; where an
    /// output is as large as its inputs (a norm of each row), they may be as many as the longest
    /// extent. Inputs of the menu have so much in common (equal rows, ties, equal steps) that what
    /// sums of them round adds up: K times as much. This matters where the sum's digits are lost
    /// afterwards, that is, where moves come near the bounds.
    [[nodiscard]] double growth_of_sums(prepared_test const& t) const {
        std::int64_t terms = 1;
        for (auto const& [name, extent] : t.test.size) terms = std::max(terms, extent);
        auto const all = static_cast<double>(terms);
        double const growth = t.test.origin == test_origin::menu ? all : std::sqrt(all);
        return std::max(1.0, growth / units_to_move(task, t));
    }
    [[nodiscard]] double shared_by(prepared_test const& t) const {
        return wide == nullptr ? growth_of_sums(t) : 1;
    }
    /// An honest rewrite may be off by this times what the original moves by: a running mean rounds
    /// more than a sum does.
    static constexpr double margin = 4;
    /// `margin` times by how many times its bound a lane moves.
    [[nodiscard]] static double times_of_bound(prepared_test const& t,
                                               std::size_t p,
                                               std::size_t lane,
                                               argument_data const& got) {
        double const e = lane_as_double(t.expected[p], lane), g = lane_as_double(got, lane);
        if (e == g || (std::isnan(e) && std::isnan(g))) return 0;
        if (!std::isfinite(e) && !t.limits[p].nonfinite) return 0;
        double const times = margin * std::fabs(g - e) /
                             (t.bounds[p].absolute + t.bounds[p].relative * std::fabs(e));
        return std::isnan(times) ? HUGE_VAL : times;
    }

    [[nodiscard]] std::string widen(prepared_test& t,
                                    std::vector<argument_data> const& outputs) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            auto const by = wanted(t, p, positions[p], outputs[p]);
            if (by.largest() > options.max_widening) return moving(t, p, positions[p], outputs[p]);
            if (by.largest() <= 1) continue;
            t.bounds[p].relative *= by.element;
            t.bounds[p].absolute *= by.element;
            t.limits[p].rms *= by.rms;
            t.limits[p].bias *= by.bias;
            // What rounding does to a mean, all elements have in common; moves in drawn directions
            // cancel in it.
            if (std::max(by.element, by.rms) > 1)
                t.limits[p].bias = std::max(t.limits[p].bias, t.limits[p].rms);
        }
        for (std::size_t p = 0; p < positions.size(); ++p)
            allow_rounding_inside(t, p, positions[p]);
        t.magnitudes.resize(positions.size());
        for (std::size_t p = 0; p < positions.size(); ++p) {
            bool const known = p < t.exact.size() && !t.exact[p].bytes.empty();
            if (by_default(t, p, positions[p]))
                t.magnitudes[p] = magnitude_limits(t.expected[p],
                                                   known ? &t.exact[p] : nullptr,
                                                   &outputs[p],
                                                   t.bounds[p],
                                                   known ? 0 : rounding_inside(t, p));
        }
        return {};
    }

    /// All elements may be small beside what they are made of (`1 + tanh(x)` near -1), and then
    /// their errors are not. Where the output is known in float64, what the original itself is off
    /// by has said so.
    void allow_rounding_inside(prepared_test& t, std::size_t p, std::size_t k) const {
        bool const known = p < t.exact.size() && !t.exact[p].bytes.empty();
        if (known || !by_default(t, p, k)) return;
        double const scale = figures_of(t.expected[p], t.expected[p]).scale;
        if (!(scale > 0)) return;
        double const inside = rounding_inside(t, p) / units_to_move(task, t);
        double const share = inside / scale;
        t.bounds[p].absolute = std::max(t.bounds[p].absolute, inside);
        t.limits[p].rms = std::max(t.limits[p].rms, share);
        t.limits[p].bias = std::max(t.limits[p].bias, share);
    }

    struct widening {
        double element = 1, rms = 1, bias = 1;
        [[nodiscard]] double largest() const { return std::max({element, rms, bias}); }
    };
    [[nodiscard]] bool judged_by_comparator(std::size_t k) const {
        return std::any_of(suite.comparators.begin(),
                           suite.comparators.end(),
                           [&](auto const& comparator) { return comparator.first == k; });
    }
    [[nodiscard]] bool by_default(prepared_test const& t, std::size_t p, std::size_t k) const {
        return is_floating(t.expected[p].type.scalar) && !task.arguments[k].bound &&
               p < t.limits.size() && !judged_by_comparator(k);
    }
    /// What may be rounded inside a kernel: eight units in the last place of the largest number
    /// that is read or written, which grow with the length of sums.
    [[nodiscard]] double rounding_inside(prepared_test const& t, std::size_t p) const {
        double largest = largest_magnitude(t.expected[p]);
        for (argument_data const& a : t.test.arguments)
            if (is_floating(a.type.scalar)) largest = std::max(largest, largest_magnitude(a));
        double const unit = moving_type(task) == scalar_type::float64 ? 0x1p-53 : 0x1p-24;
        return 8 * unit * units_to_move(task, t) * largest;
    }
    /// By how much the bounds of output `p`, argument `k`, have to widen, so that it moves by a
    /// part of them.
    [[nodiscard]] widening
    wanted(prepared_test& t, std::size_t p, std::size_t k, argument_data const& got) const {
        bool const moves = judge_narrowly(t, p, got).has_value();
        if (!by_default(t, p, k)) return moves ? widening{HUGE_VAL} : widening{};
        argument_data const& expected = t.expected[p];
        double element = 0;
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
            element = std::max(element, times_of_bound(t, p, lane, got));
        if (element > options.max_widening) return {HUGE_VAL};
        auto const f = figures_of(expected, got);
        double const rms = margin * f.rms / t.limits[p].rms;
        double const shared = std::max(element, rms) > 0.25 ? shared_by(t) : 1;
        if (!moves && shared == 1) return {};
        double const most = moves ? HUGE_VAL : options.max_widening;
        widening by;
        by.element = std::clamp(element * shared, 1.0, most);
        by.rms = std::clamp(rms * shared, 1.0, most);
        by.bias = std::max(
            1.0, margin * std::max(std::fabs(f.mean), std::fabs(f.factor)) / t.limits[p].bias);
        return by;
    }

    /// What is wrong with an output by bounds that are narrower by `margin`.
    [[nodiscard]] std::optional<mismatch>
    judge_narrowly(prepared_test& t, std::size_t p, argument_data const& got) const {
        auto const bounds = t.bounds;
        auto const limits = t.limits;
        for (tolerance& b : t.bounds) b.relative /= margin, b.absolute /= margin;
        for (error_limits& l : t.limits) l.rms /= margin, l.bias /= margin;
        auto m = judge_output(task, suite, t, p, got);
        t.bounds = bounds;
        t.limits = limits;
        return m;
    }
    [[nodiscard]] std::string
    moving(prepared_test& t, std::size_t p, std::size_t k, argument_data const& got) const {
        std::string const name = "`" + task.signature.arguments[k].name + "`";
        auto const m = judge_narrowly(t, p, got);
        if (!m || !m->whole.empty()) return name + " moves by more than a quarter of its bound";
        return std::to_string(m->count) + " of " + std::to_string(got.count()) + " elements of " +
               name + " move by more than a quarter of their bound";
    }
};

bool spare(test_suite const& suite, std::size_t number) {
    return number > 0 && suite.tests[number].test.origin != test_origin::asked;
}

/// Whether a test of the menu tells little: every output is the same everywhere.
bool constant(problem const& task, test_suite const& suite, std::size_t number) {
    prepared_test const& t = suite.tests[number];
    if (!spare(suite, number) || t.test.origin != test_origin::menu) return false;
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p)
        if (!task.arguments[positions[p]].scratch && !all_alike(t.expected[p])) return false;
    return true;
}

/// Whether an output is known in float64.
bool known_exactly(prepared_test const& t) {
    return std::any_of(
        t.exact.begin(), t.exact.end(), [](argument_data const& e) { return !e.bytes.empty(); });
}

bool worth_moving(problem const& task, prepared_test const& t, soundness_options const& options) {
    std::size_t bytes = 0;
    bool any = false;
    for (std::size_t k = 0; k < t.test.arguments.size(); ++k) {
        bytes += t.test.arguments[k].bytes.size();
        any = any || moves(task, t.test, k);
    }
    return any && bytes <= options.test_bytes;
}

} // namespace detail::soundness

std::uint32_t units_to_move(problem const& task, prepared_test const& test) {
    double terms = 1;
    for (argument_data const& output : test.expected)
        terms =
            std::max(terms, reduction_length(task, test.test, static_cast<double>(output.lanes())));
    return static_cast<std::uint32_t>(std::min(std::sqrt(terms), 0x1p12));
}

test_case moved_by_units(problem const& task,
                         test_case const& test,
                         std::uint32_t units,
                         std::uint64_t seed,
                         std::uint32_t t,
                         unit_of unit) {
    using namespace detail::soundness;
    return moving_type(task) == scalar_type::float64
               ? moved_in<double, std::uint64_t>(task, test, units, seed, t, unit)
               : moved_in<float, std::uint32_t>(task, test, units, seed, t, unit);
}

namespace detail {

result<void> keep_sound_tests(gpu_ref backend,
                              problem const& task,
                              test_suite& suite,
                              call_context const& context,
                              soundness_options const& options) {
    using namespace soundness;
    auto const drop = [&](std::vector<bool> const& which) {
        std::vector<prepared_test> kept;
        for (std::size_t k = 0; k < suite.tests.size(); ++k)
            if (!which[k]) kept.push_back(std::move(suite.tests[k]));
        suite.tests = std::move(kept);
    };
    std::vector<bool> tells_little;
    for (std::size_t k = 0; k < suite.tests.size(); ++k)
        tells_little.push_back(constant(task, suite, k));
    drop(tells_little);

    std::vector<std::size_t> movable, narrow;
    for (std::size_t k = 0; k < suite.tests.size(); ++k) {
        if (worth_moving(task, suite.tests[k], options))
            movable.push_back(k);
        else if (known_exactly(suite.tests[k]))
            narrow.push_back(k);
    }
    // Who promises compensated sums is right for the very inputs that there are.
    if (task.properties.compensated) return {};
    auto const wide = movable.empty() && !narrow.empty() ? float64_version(task) : std::nullopt;
    if (wide) movable = std::move(narrow);
    if (movable.empty()) return {};
    auto const compiled = backend.compile(request_for_original(wide ? *wide : task,
                                                               suite.reference_configuration,
                                                               options.compile_limit),
                                          context);
    if (!compiled) return compiled.error();
    if (!std::holds_alternative<compiled_kernel>(*compiled)) return {};
    conditioning const original{backend,
                                std::get<compiled_kernel>(*compiled),
                                wide ? &*wide : nullptr,
                                task,
                                suite,
                                context,
                                options};
    std::vector<bool> ill(suite.tests.size(), false);
    for (std::size_t k : movable) {
        auto const said = original.fit(k);
        if (!said) return said.error();
        ill[k] = !said->empty() && spare(suite, k);
        if (said->empty() || ill[k]) continue;
        suite.notes.push_back("the original is ill-conditioned on test `" +
                              suite.tests[k].test.name + "`: " + *said +
                              ". An honest rewrite may differ there; a tolerance with a share of "
                              "the elements (`share`) allows for it");
    }
    std::uint64_t open = 0, of = 0;
    for (prepared_test const& t : suite.tests)
        for (element_set const& e : t.open) {
            open += e.count();
            of += e.count() > 0 ? e.size() : 0;
        }
    if (open > 0)
        suite.notes.push_back(std::to_string(open) + " of " + std::to_string(of) +
                              " outputs on inputs that lkt chose are not judged: the original's "
                              "move by more than their bound when inputs move by units in the last "
                              "place");
    auto const dropped = std::count(ill.begin(), ill.end(), true);
    if (dropped == 0) return {};
    suite.notes.push_back(
        std::to_string(dropped) + " of " + std::to_string(ill.size()) +
        (dropped == 1 ? " tests was dropped: on it" : " tests were dropped: on them") +
        " the original moves by more than its bound when inputs move by units in "
        "the last place");
    drop(ill);
    return {};
}

result<void> fit_to_original(gpu_ref backend,
                             problem const& task,
                             test_suite& suite,
                             call_context const& context,
                             soundness_options const& options) {
    exact_options exact;
    exact.compile_limit = options.compile_limit;
    exact.launch_limit = options.launch_limit;
    if (auto ok = fit_bounds(backend, task, suite, context, exact); !ok) return ok.error();
    return keep_sound_tests(backend, task, suite, context, options);
}

} // namespace detail

} // namespace lkt
