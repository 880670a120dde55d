// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/properties.hpp>

#include <lkt/core/secret_stream.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Launches of a kernel whose properties are looked at.
struct property_trial {
    gpu_ref backend;
    compiled_kernel const& kernel;
    problem const& task;
    launch_formula const& formula;
    configuration const& config;
    test_suite const& suite;
    call_context const& context;
    property_options const& options;

    using verdict_of_check = result<std::optional<failure>>;
    using outputs = std::vector<argument_data>;

    void note(std::string text) const {
        if (options.notes) options.notes->push_back(std::move(text));
    }
    [[nodiscard]] std::string name(std::size_t argument) const {
        return "`" + task.signature.arguments[argument].name + "`";
    }

    /// The test that is launched often.
    [[nodiscard]] prepared_test const& subject() const {
        auto const bytes = [](prepared_test const& t) {
            std::size_t sum = 0;
            for (argument_data const& a : t.test.arguments) sum += a.bytes.size();
            return sum;
        };
        prepared_test const* best = &suite.tests.front();
        for (prepared_test const& t : suite.tests) {
            bool const fits = bytes(t) <= options.test_bytes;
            bool const best_fits = bytes(*best) <= options.test_bytes;
            if (fits != best_fits ? fits : fits == (bytes(t) > bytes(*best))) best = &t;
        }
        return *best;
    }

    [[nodiscard]] result<std::variant<run_report, failure>> run(test_case const& inputs,
                                                                prepared_test const& like,
                                                                int launches,
                                                                bool same,
                                                                std::uint64_t batch = 0) const {
        auto const dimensions = formula.evaluate(scope_of(inputs.size, config));
        if (!dimensions)
            return std::variant<run_report, failure>(
                launch_failed{to_string(inputs.size) + ": " + dimensions.error().message});
        seconds const limit =
            options.time_limit > seconds{} ? options.time_limit : launch_limit(like);
        auto request =
            request_on(inputs, suite.directions, *dimensions, launches, options.seed, limit);
        if (batch != 0) request.poison_seed = drawn(secret_of(options.seed), "batch", batch);
        if (same) {
            request.contents = like.arguments_id;
            // Whatever is as expected need not come back; but then its bits are not known.
            if (!task.properties.deterministic) request.expected = like.expectation();
        }
        return launch(backend, kernel, request, inputs, suite.directions, context);
    }

    [[nodiscard]] std::optional<wrong_output>
    judge(prepared_test const& as, outputs const& got, std::string const& test) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            auto const m = judge_output(task, suite, as, p, got[p]);
            if (!m) continue;
            auto w = describe_mismatch(*m, as.expected[p], got[p], as.bounds[p], as.test.size);
            w.test = test;
            w.argument = task.signature.arguments[positions[p]].name;
            return w;
        }
        return std::nullopt;
    }

    /// The first output whose bits are not the first launch's, as a sentence.
    [[nodiscard]] std::string other_bits(outputs const& first, outputs const& now) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (task.arguments[positions[p]].scratch || first[p].bytes == now[p].bytes) continue;
            std::size_t at = 0;
            while (first[p].bytes[at] == now[p].bytes[at]) ++at;
            std::size_t const k = at / first[p].type.bytes();
            return "element " + std::to_string(k) + " of " + name(positions[p]) + " is " +
                   value_text(first[p], k) + " in one launch and " + value_text(now[p], k) +
                   " in another";
        }
        return {};
    }

    [[nodiscard]] verdict_of_check determinism() const {
        prepared_test const& test = subject();
        constexpr int max_at_once = 10, least = 3;
        bool const limited = options.launching > seconds{};
        int const at_once =
            limited && test.reference_time * max_at_once > options.launching ? least : max_at_once;
        outputs first;
        std::string differs;
        seconds spent{};
        for (int done = 0; done < options.launches;) {
            if (limited && done >= least && spent >= options.launching) break;
            int const now = std::min(at_once, options.launches - done);
            // Memory holds something else before each launch, and that changes nothing.
            auto ran = run(test.test, test, now, true, static_cast<std::uint64_t>(done));
            if (!ran) return ran.error();
            if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
            for (seconds const sample : std::get<run_report>(*ran).samples) spent += sample;
            for (kept_outputs& kept : std::get<run_report>(*ran).kept) {
                ++done;
                if (kept.as_expected) continue;
                // What repeats a launch bit by bit was judged with it.
                std::string other = first.empty() ? "" : other_bits(first, kept.outputs);
                if (!first.empty() && other.empty()) continue;
                if (auto w = judge(test, kept.outputs, test.test.name)) {
                    w->pattern = "in launch " + std::to_string(done) + " of " +
                                 std::to_string(options.launches) +
                                 " identical ones: " + w->pattern;
                    w->as = verdict::nondeterminism;
                    return std::optional<failure>(std::move(*w));
                }
                if (first.empty())
                    first = std::move(kept.outputs);
                else if (differs.empty())
                    differs = std::move(other);
            }
        }
        if (differs.empty()) return std::optional<failure>();
        std::string const where = differs + ", on test `" + test.test.name + "`";
        if (task.properties.deterministic)
            return std::optional<failure>(
                race{"the problem promises the same bits in each launch, but " + where,
                     verdict::nondeterminism});
        note("the bits of outputs change from launch to launch, within the bounds: " + where);
        return std::optional<failure>();
    }

    /// Launches once on `inputs` and compares with `as`.
    [[nodiscard]] verdict_of_check
    relation(test_case const& inputs, prepared_test const& as, std::string const& how) const {
        auto ran = run(inputs, as, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        auto w = judge(as, std::get<run_report>(*ran).kept.front().outputs, inputs.name);
        if (!w) return std::optional<failure>();
        w->pattern = how + "; " + w->pattern;
        return std::optional<failure>(std::move(*w));
    }

    [[nodiscard]] bool in_domain(std::size_t argument, double x) const {
        argument_spec const& spec = task.arguments[argument];
        return std::isfinite(x) && x >= spec.min.value_or(x) && x <= spec.max.value_or(x);
    }
    /// Sets the arguments of `set` to `value(argument, lane)`; false where that is no value of the
    /// type, exactly, or lies outside of a domain.
    template <class Value>
    [[nodiscard]] bool
    refill(test_case& inputs, std::vector<std::size_t> const& set, bool exact, Value value) const {
        for (std::size_t argument : set) {
            argument_data& data = inputs.arguments[argument];
            for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
                double const x = value(argument, lane);
                double const stored = rounded_to(data.type.scalar, x);
                if (!in_domain(argument, stored) || (exact && stored != x)) return false;
                store_real(data, lane, x);
            }
        }
        return true;
    }
    /// `expected` with each lane of each output changed, for a suite without limits of its own.
    template <class Value>
    [[nodiscard]] static prepared_test expecting(prepared_test const& test, Value value) {
        prepared_test as = test;
        as.arguments_id = as.expected_id = 0;
        for (std::size_t p = 0; p < as.expected.size(); ++p)
            for (std::size_t lane = 0; lane < as.expected[p].lanes(); ++lane)
                store_real(as.expected[p], lane, value(p, lane));
        return as;
    }

    /// Why a set cannot be tried on a test; empty where it can.
    [[nodiscard]] std::string not_linear(std::vector<std::size_t> const& set) const {
        for (std::size_t k : set)
            if (k >= task.arguments.size() || !is_floating(task.signature.arguments[k].type.scalar))
                return "an argument of the set is no floating-point one";
        for (std::size_t k : output_positions(suite.directions))
            if (!is_floating(task.signature.arguments[k].type.scalar) && !task.arguments[k].scratch)
                return "the output " + name(k) + " holds integers";
        return {};
    }

    [[nodiscard]] verdict_of_check scaling(prepared_test const& test,
                                           std::vector<std::size_t> const& set) const {
        for (int power : {5, -5, 1, -1}) {
            double const factor = std::ldexp(1.0, power);
            test_case inputs = test.test;
            inputs.name += ", scaled by 2^" + std::to_string(power);
            if (!refill(inputs, set, true, [&](std::size_t k, std::size_t lane) {
                    return factor * lane_as_double(test.test.arguments[k], lane);
                }))
                continue;
            prepared_test as = expecting(test, [&](std::size_t p, std::size_t lane) {
                return factor * lane_as_double(test.expected[p], lane);
            });
            for (tolerance& bound : as.bounds) bound.absolute *= factor;
            return relation(
                inputs, as, "the outputs do not scale as the inputs that they are linear in");
        }
        note("scaling was not tried: the inputs of test `" + test.test.name +
             "` leave their domains");
        return std::optional<failure>();
    }

    /// f((x + y) / 2) = (f(x) + f(y)) / 2, which stays in any interval.
    [[nodiscard]] verdict_of_check addition(prepared_test const& test,
                                            std::vector<std::size_t> const& set) const {
        auto const turned = [&](std::size_t k, std::size_t lane) {
            argument_data const& x = test.test.arguments[k];
            return lane_as_double(x, (lane + x.lanes() / 3 + 1) % x.lanes());
        };
        test_case other = test.test, both = test.test;
        other.name += ", rotated";
        both.name += ", the mean of two inputs";
        bool const fits =
            refill(other, set, false, turned) &&
            refill(both, set, false, [&](std::size_t k, std::size_t lane) {
                return (lane_as_double(test.test.arguments[k], lane) + turned(k, lane)) / 2;
            });
        if (!fits) return std::optional<failure>();
        auto ran = run(other, test, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        outputs const& image = std::get<run_report>(*ran).kept.front().outputs;
        prepared_test as = expecting(test, [&](std::size_t p, std::size_t lane) {
            return (lane_as_double(test.expected[p], lane) + lane_as_double(image[p], lane)) / 2;
        });
        // Three launches round, and the mean of the inputs does.
        for (tolerance& bound : as.bounds) bound.absolute *= 2, bound.relative *= 2;
        for (error_limits& limit : as.limits) limit.rms *= 4, limit.bias *= 4;
        return relation(
            both, as, "the output for the mean of two inputs is not the mean of their outputs");
    }

    [[nodiscard]] verdict_of_check permutation(prepared_test const& test) const {
        auto const& set = task.properties.permutation_invariant;
        test_case inputs = test.test;
        inputs.name += ", permuted";
        std::size_t const n = inputs.arguments[set.front()].count();
        for (std::size_t k : set)
            if (inputs.arguments[k].count() != n) {
                note("the permutation was not tried: " + name(k) +
                     " has another number of "
                     "elements than " +
                     name(set.front()) + " on test `" + test.test.name + "`");
                return std::optional<failure>();
            }
        // Of the streams that generators and oracles do not use.
        random_stream const stream{drawn(secret_of(options.seed), "properties"), 0xc0000000u, 0};
        std::vector<std::size_t> from(n);
        for (std::size_t k = 0; k < n; ++k) from[k] = k;
        for (std::size_t k = n; k > 1; --k)
            std::swap(from[k - 1], from[static_cast<std::size_t>(below(k, stream.bits(k)))]);
        for (std::size_t k : set) {
            argument_data const& old = test.test.arguments[k];
            std::size_t const one = old.type.bytes();
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(inputs.arguments[k].bytes.data() + i * one,
                            old.bytes.data() + from[i] * one,
                            one);
        }
        return relation(inputs, test, "the outputs depend on the order of the inputs");
    }

    /// What a launch starts from that another one left behind.
    struct left_behind {
        std::vector<bool> taken; ///< by position among the outputs: those that start from it
        outputs const& contents;
        std::string what; ///< for the name of the test
    };

    /// Launches on `after`, in memory that holds `left`; `shown` are the outputs that came of it.
    [[nodiscard]] verdict_of_check
    launch_in(prepared_test const& after, left_behind const& left, outputs& shown) const {
        auto const positions = output_positions(suite.directions);
        test_case inputs = after.test;
        inputs.name += left.what;
        auto directions = suite.directions;
        bool scratch = true; // nothing else
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (!left.taken[p]) continue;
            scratch = scratch && task.arguments[positions[p]].scratch;
            directions[positions[p]] = direction::inout;
            inputs.arguments[positions[p]].bytes = left.contents[p].bytes;
        }
        auto const dimensions = formula.evaluate(scope_of(inputs.size, config));
        if (!dimensions) return dimensions.error();
        seconds const limit =
            options.time_limit > seconds{} ? options.time_limit : launch_limit(after);
        auto const request = request_on(inputs, directions, *dimensions, 1, options.seed, limit);
        auto ran = launch(backend, kernel, request, inputs, directions, context);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        shown = std::move(std::get<run_report>(*ran).kept.front().outputs);
        auto w = judge(after, shown, inputs.name);
        if (!w) return std::optional<failure>();
        bool replayed = true;
        for (std::size_t p = 0; p < positions.size(); ++p)
            replayed = replayed && (task.arguments[positions[p]].scratch ||
                                    shown[p].bytes == left.contents[p].bytes);
        w->as = !replayed ? verdict::stateful
                : scratch ? verdict::replay_cache
                          : verdict::work_skipping;
        w->pattern = "what an earlier launch left in " +
                     std::string(scratch ? "the scratch memory" : "its outputs") +
                     " changes the result; " + w->pattern;
        return std::optional<failure>(std::move(*w));
    }

    /// Scratch and outputs are filled anew before each launch; where a kernel runs for real they
    /// are not. So launches start from what others of the same kernel left behind in the scratch,
    /// and in the outputs if `outputs_too`: after other values, and then after the same ones, but
    /// for an element here and there, as if few inputs had changed since.
    [[nodiscard]] verdict_of_check leftovers(bool outputs_too) const {
        constexpr std::size_t most = std::size_t{256} << 20, one_of = 128; // bytes; elements
        auto const positions = output_positions(suite.directions);
        prepared_test const& before = suite.tests.front();
        prepared_test const* after = nullptr;
        for (prepared_test const& t : suite.tests)
            if (!after && &t != &before && t.test.size == before.test.size) after = &t;
        std::vector<bool> taken;
        std::size_t bytes = 0;
        for (std::size_t k : positions) {
            taken.push_back(task.arguments[k].scratch ||
                            (outputs_too && suite.directions[k] == direction::out));
            bytes += before.test.arguments[k].bytes.size();
        }
        bool const any = std::find(taken.begin(), taken.end(), true) != taken.end();
        if (!after || !any || (outputs_too && bytes > most)) return std::optional<failure>();
        auto ran = run(before.test, before, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        outputs const& other = std::get<run_report>(*ran).kept.front().outputs;
        outputs own, shown;
        auto made = launch_in(*after, {taken, other, ", after a launch on other values"}, own);
        if (!made || *made || !outputs_too) return made;
        random_stream const stream{drawn(secret_of(options.seed), "leftovers"), 0xc0000000u, 0};
        for (std::size_t p = 0; p < positions.size(); ++p) {
            std::size_t const one = own[p].type.bytes();
            for (std::size_t k = 0; k < own[p].count(); ++k)
                if (below(one_of, stream.bits(k)) == 0)
                    std::memcpy(
                        own[p].bytes.data() + k * one, other[p].bytes.data() + k * one, one);
        }
        return launch_in(*after, {taken, own, ", after one on nearly the same values"}, shown);
    }

    [[nodiscard]] verdict_of_check all() const {
        if (auto made = leftovers(false); !made || *made) return made;
        if (options.launches > 0) {
            if (auto made = determinism(); !made || *made) return made;
            if (auto made = leftovers(true); !made || *made) return made;
        }
        prepared_test const& test = subject();
        for (auto const& set : task.properties.linear) {
            if (set.empty()) continue;
            if (auto const why = not_linear(set); !why.empty()) {
                note("linearity was not tried: " + why);
                continue;
            }
            if (auto made = scaling(test, set); !made || *made) return made;
            if (auto made = addition(test, set); !made || *made) return made;
        }
        if (!task.properties.permutation_invariant.empty()) return permutation(test);
        return std::optional<failure>();
    }
};

result<std::optional<failure>> check_properties(gpu_ref backend,
                                                compiled_kernel const& kernel,
                                                problem const& task,
                                                launch_formula const& launch,
                                                configuration const& config,
                                                test_suite const& suite,
                                                call_context const& context,
                                                property_options const& options) {
    if (!suite.prepared())
        return error{condition::rejected,
                     "lkt.verify.no_tests",
                     "there is no prepared test for the kernel " + task.signature.name,
                     "Prepare the suite with prepare_suite first."};
    return property_trial{backend, kernel, task, launch, config, suite, context, options}.all();
}

} // namespace lkt::detail
