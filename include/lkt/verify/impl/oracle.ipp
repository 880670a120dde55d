// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/oracle.hpp>

#include <lkt/core/secret_stream.hpp>
#include <lkt/core/warning.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/guards.hpp>
#include <lkt/verify/tolerance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

result<configuration> default_configuration(problem const& task) {
    configuration config;
    for (auto const& p : task.parameters) {
        if (p.values.empty())
            return error{condition::rejected,
                         "lkt.verify.parameter",
                         "the parameter " + p.name + " has no values",
                         "Give it at least one; the first is its default."};
        config.values.emplace_back(p.name, p.values.front());
    }
    for (auto const& restriction : task.restrictions) {
        auto const holds = restriction.evaluate_condition(scope_of(task.size, config));
        if (!holds) return holds.error();
        if (!*holds)
            return error{condition::rejected,
                         "lkt.verify.defaults",
                         "the default configuration breaks the restriction `" + restriction.text() +
                             "`",
                         "Put a value that meets the restrictions first, or pass the "
                         "configuration with which the original kernel runs."};
    }
    return config;
}

namespace detail {

/// What two runs of the original returned on one test, each of two launches and both with the same
/// seed: within a run the poison changes from launch to launch, between the runs it does not.
struct reference_runs {
    run_report report[2];

    [[nodiscard]] argument_data const& output(int run, int launch, std::size_t position) const {
        return report[run].kept[static_cast<std::size_t>(launch)].outputs[position];
    }
};

/// What they say of one output.
struct stability {
    bool contents = false; ///< some element follows what the buffer held before the launch
    bool unstable = false; ///< some element changes without any cause
    bool tolerable = true; ///< ... but stays within the tolerance
};
template <class Alike>
stability stability_of(reference_runs const& runs, std::size_t position, Alike const& alike) {
    argument_data const& a0 = runs.output(0, 0, position);
    argument_data const& a1 = runs.output(0, 1, position);
    argument_data const& b0 = runs.output(1, 0, position);
    argument_data const& b1 = runs.output(1, 1, position);
    stability s;
    for (std::uint64_t k = 0; k < a0.count(); ++k) {
        bool const stable = same_element(a0, b0, k) && same_element(a1, b1, k);
        s.unstable = s.unstable || !stable;
        s.contents = s.contents || (stable && !same_element(a0, a1, k));
    }
    if (s.unstable || s.contents) s.tolerable = alike(a0, a1) && alike(a0, b0) && alike(a0, b1);
    return s;
}

error reference_failed(problem const& task, std::string const& what, std::string const& why) {
    return {condition::rejected,
            "lkt.verify.reference",
            "the original kernel " + task.signature.name + " " + what + ": " + why,
            "Nothing can be tuned before the original runs: correct it, the problem size, the "
            "arguments or the launch geometry."};
}

/// Whether one output of the original may stand for another launch's.
bool alike(test_suite const& suite,
           prepared_test const& now,
           std::size_t argument,
           output_bounds const& bounds,
           argument_data const& one,
           argument_data const& other) {
    for (auto const& [judged, comparator] : suite.comparators)
        if (judged == argument) return !comparator(now.test, one, other);
    // The bound of its elements alone: errors as a whole are for another's kernel.
    return !judge_output(one, other, bounds.element, {.nonfinite = bounds.whole.nonfinite});
}

void add_reference_time(prepared_test& now, run_report const& report) {
    for (seconds s : report.samples) now.reference_time = std::max(now.reference_time, s);
}

/// Takes the expected outputs of one test from the runs. False: an `out` argument turned out to be
/// `inout`, so that everything has to run again.
result<bool>
take_expected(problem const& task, test_suite& suite, prepared_test& now, reference_runs&& runs) {
    auto const positions = output_positions(suite.directions);
    std::string const on_test = " on test `" + now.test.name + "`";
    bool settled = true;
    for (std::size_t p = 0; p < positions.size(); ++p) {
        std::size_t const k = positions[p];
        argument_data& expected = runs.report[0].kept[0].outputs[p];
        auto const bounds = bounds_for(task, k, now.test, expected);
        if (!bounds) return bounds.error();
        if (task.arguments[k].scratch) {
            expect(task, suite, now, k, std::move(expected), *bounds);
            continue;
        }
        auto const s = stability_of(runs, p, [&](auto const& one, auto const& other) {
            return alike(suite, now, k, *bounds, one, other);
        });
        std::string const name = "`" + task.signature.arguments[k].name + "`";
        if (suite.directions[k] == direction::out && s.contents) {
            suite.directions[k] = direction::inout;
            settled = false;
            continue;
        }
        bool const changes = s.unstable || s.contents;
        if (changes && !s.tolerable && suite.directions[k] == direction::inout)
            return error{condition::rejected,
                         "lkt.verify.unstable",
                         "the original kernel's output " + name + " changes from launch to launch" +
                             on_test,
                         "Nothing can be compared with it: remove the race, the state that "
                         "survives a launch or the uninitialised memory, or give " +
                             name + " a tolerance."};
        if (changes && !s.tolerable) {
            // Sums on top of wild poison round wildly: judge it from ordinary contents.
            suite.directions[k] = direction::inout;
            settled = false;
            continue;
        }
        if (changes)
            suite.notes.push_back("the original kernel's output " + name +
                                  " changes from launch to launch" + on_test +
                                  ", within its tolerance");
        expect(task, suite, now, k, std::move(expected), *bounds);
    }
    for (run_report const& report : runs.report) add_reference_time(now, report);
    return settled;
}

/// The original, compiled.
struct reference_kernel {
    gpu_ref backend;
    problem const& task;
    compiled_kernel const& kernel;
    call_context const& context;

    /// A launch that fails is an error here.
    [[nodiscard]] result<run_report> run(run_request const& request,
                                         test_case const& test,
                                         std::vector<direction> const& directions) const {
        auto outcome = launch(backend, kernel, request, test, directions, context);
        if (!outcome) return outcome.error();
        if (auto const* f = std::get_if<failure>(&*outcome))
            return reference_failed(task, "fails on test `" + test.name + "`", describe(*f));
        return std::get<run_report>(std::move(*outcome));
    }
};

/// Whether two launches left the same; `exact` allows anything for what is scratch.
bool same_bytes(std::vector<argument_data> const& a,
                std::vector<argument_data> const& b,
                std::vector<tolerance> const& exact) {
    for (std::size_t p = 0; p < exact.size(); ++p)
        if (exact[p] == tolerance{} &&
            (a[p].bytes.size() != b[p].bytes.size() ||
             std::memcmp(a[p].bytes.data(), b[p].bytes.data(), a[p].bytes.size()) != 0))
            return false;
    return true;
}

/// The usual case, with one transfer of the outputs instead of four: one launch, then two more
/// which must repeat it, the first under the same poison and the second under another. A back end
/// that compares on its device returns nothing of these two. Where a launch takes long, the one
/// under another poison is enough. False, and nothing taken: they do not repeat it, so it takes all
/// four launches to tell why.
result<bool> take_if_repeated(reference_kernel const& original,
                              test_suite& suite,
                              prepared_test& now,
                              run_request request) {
    request.launches = 1;
    request.keep = {0};
    auto first = original.run(request, now.test, suite.directions);
    if (!first) return first.error();
    auto outputs = std::move(first->kept.front().outputs);
    // Without room for error a device tells values apart, so that one NaN passes for another: then
    // nothing is said of what to expect, and the bytes are compared here.
    std::vector<std::uint64_t> not_finite;
    for (argument_data const& output : outputs) not_finite.push_back(count_not_finite(output));
    bool const comparable = not_finite == std::vector<std::uint64_t>(outputs.size(), 0);
    std::uint64_t const id = fresh_contents();
    auto const positions = output_positions(suite.directions);
    std::vector<tolerance> exact(outputs.size());
    for (std::size_t p = 0; p < positions.size(); ++p)
        if (original.task.arguments[positions[p]].scratch)
            exact[p].absolute = std::numeric_limits<double>::infinity();
    if (bytes_of(now.test) <= std::size_t{1} << 20)
        request.launches = 2, request.keep = {0, 1};
    else
        request.poison_seed = drawn(secret_of(request.poison_seed), "another poison");
    if (comparable) request.expected = {id, outputs, exact};
    auto const again = original.run(request, now.test, suite.directions);
    if (!again) return again.error();
    for (kept_outputs const& kept : again->kept)
        if (!kept.as_expected && !same_bytes(kept.outputs, outputs, exact)) return false;
    for (std::size_t p = 0; p < positions.size(); ++p) {
        auto const bounds = bounds_for(original.task, positions[p], now.test, outputs[p]);
        if (!bounds) return bounds.error();
        expect(
            original.task, suite, now, positions[p], std::move(outputs[p]), *bounds, not_finite[p]);
    }
    add_reference_time(now, *first);
    add_reference_time(now, *again);
    // The device may have them already; what a comparator judges is not for it to compare.
    now.expected_id = suite.comparators.empty() ? id : 0;
    return true;
}

/// Runs the original on one test and takes what it computes. False as for take_expected.
result<bool> prepare_test(reference_kernel const& original,
                          test_suite& suite,
                          prepared_test& now,
                          std::uint64_t seed,
                          seconds limit) {
    auto const scope = scope_of(now.test.size, suite.reference_configuration);
    auto const dimensions = original.task.launch.evaluate(scope);
    if (!dimensions) return dimensions.error();
    now.arguments_id = fresh_contents(); // others than in the round before, if there was one
    auto request = request_on(now.test, suite.directions, *dimensions, 2, seed, limit);
    request.contents = now.arguments_id;
    auto const repeated = take_if_repeated(original, suite, now, request);
    if (!repeated || *repeated) return repeated;
    reference_runs runs;
    for (run_report& report : runs.report) {
        auto made = original.run(request, now.test, suite.directions);
        if (!made) return made.error();
        report = std::move(*made);
    }
    now.expected_id = suite.comparators.empty() ? fresh_contents() : 0;
    return take_expected(original.task, suite, now, std::move(runs));
}

/// Generated contents for every `out` argument that is now `inout`, in every test.
result<void> refill_reclassified(problem const& task,
                                 test_suite& suite,
                                 std::uint64_t seed,
                                 call_context const& context) {
    for (std::size_t t = 0; t < suite.tests.size(); ++t) {
        test_case& test = suite.tests[t].test;
        suite.tests[t].expected.clear();
        suite.tests[t].bounds.clear();
        suite.tests[t].limits.clear();
        for (std::size_t k = 0; k < task.arguments.size(); ++k) {
            if (task.flow(k) == suite.directions[k] || task.arguments[k].scratch) continue;
            // Generators do not use the upper half of the test numbers.
            random_stream const stream{drawn(secret_of(seed), "reclassified"),
                                       0x80000000u + static_cast<std::uint32_t>(t),
                                       static_cast<std::uint32_t>(k)};
            expression_scope const scope = scope_of(test.size, {});
            argument_data& data = test.arguments[k];
            if (auto ok = draw(data, task.arguments[k].fill, scope, stream, context); !ok)
                return ok.error();
        }
    }
    return {};
}

/// Whether a test may be dropped for what the original does on it: one of lkt's own, on which it
/// does not agree with itself (sums by atomics, of values that nearly cancel), or fails where lkt
/// chose scalars.
bool may_drop(problem const& task, test_case const& test, error const& why) {
    if (test.origin == test_origin::asked) return false;
    if (why.code == "lkt.verify.unstable") return true;
    bool chosen = false;
    for (std::size_t k = 0; k < task.arguments.size(); ++k)
        chosen = chosen || fair_scalar(task, k).has_value();
    return chosen && why.code == "lkt.verify.reference";
}

/// Until every test has run with the same directions.
result<void> prepare_tests(reference_kernel const& original,
                           test_suite& suite,
                           call_context const& context,
                           oracle_options const& options) {
    std::size_t dropped = 0;
    for (std::size_t number = 0; number < suite.tests.size();) {
        auto const settled = prepare_test(
            original, suite, suite.tests[number], options.seed + number, options.launch_limit);
        if (!settled && may_drop(original.task, suite.tests[number].test, settled.error())) {
            suite.tests.erase(suite.tests.begin() + static_cast<std::ptrdiff_t>(number));
            ++dropped;
            continue;
        }
        if (!settled) return settled.error();
        ++number;
        if (*settled) continue;
        // From the start again; each round turns an argument, so there is an end to it.
        if (auto ok = refill_reclassified(original.task, suite, options.seed, context); !ok)
            return ok.error();
        suite.notes.clear();
        number = 0;
    }
    if (dropped > 0)
        suite.notes.push_back(std::to_string(dropped) +
                              " tests made by lkt were dropped: on them the original's outputs "
                              "change from launch to launch by more than is allowed, or it fails");
    return {};
}

/// What there is to say of an output that turned out to be `inout`.
std::string not_all_written(problem const& task, test_suite const& suite, std::size_t k) {
    std::string const name = "the output `" + task.signature.arguments[k].name + "`";
    auto const positions = output_positions(suite.directions);
    auto const at = std::find(positions.begin(), positions.end(), k) - positions.begin();
    prepared_test const& timed = suite.tests.front();
    argument_data const& before = timed.test.arguments[k];
    argument_data const& after = timed.expected[static_cast<std::size_t>(at)];
    std::uint64_t kept = 0;
    for (std::size_t n = 0; n < after.count(); ++n) kept += same_element(before, after, n) ? 1 : 0;
    if (kept == 0)
        return "the original kernel reads " + name +
               ", or does not write all of it: it is treated as inout";
    return warning("the original's launch does not write all of " + name + ": " +
                   std::to_string(kept) + " of " + std::to_string(after.count()) +
                   " elements stay as they were; check the grid and the block, or declare it "
                   "inout");
}

result<test_suite> prepare_suite(gpu_ref backend,
                                 problem const& task,
                                 std::vector<test_case>& tests,
                                 call_context const& context,
                                 oracle_options const& options) {
    auto begun = begin_suite(task, tests, options);
    if (!begun) return begun.error();
    test_suite suite = std::move(*begun);

    auto compiled = backend.compile(
        request_for_original(task, suite.reference_configuration, options.compile_limit), context);
    if (!compiled) return compiled.error();
    if (auto const* f = std::get_if<failure>(&*compiled))
        return reference_failed(task, "does not compile", describe(*f));
    reference_kernel const original{backend, task, std::get<compiled_kernel>(*compiled), context};

    for (test_case& test : tests) suite.tests.push_back({std::move(test), {}, {}, {}});
    if (auto ok = prepare_tests(original, suite, context, options); !ok) {
        tests.clear();
        for (prepared_test& t : suite.tests) tests.push_back(std::move(t.test));
        return ok.error();
    }
    for (std::size_t k = 0; k < suite.directions.size(); ++k)
        if (suite.directions[k] != task.flow(k) && !task.arguments[k].scratch)
            suite.notes.insert(suite.notes.begin(), not_all_written(task, suite, k));
    return suite;
}

std::optional<error> original_fault(problem const& task, device_description const* device) {
    if (task.size.empty()) return std::nullopt;
    std::vector<problem_size> sizes{task.size};
    sizes.insert(sizes.end(), task.further_sizes.begin(), task.further_sizes.end());
    auto const config = default_configuration(task.parameters);
    for (problem_size const& size : sizes) {
        if (auto wrong = arguments_fault(task, size)) return wrong;
        if (task.unwritten) continue; // a model will say how its kernel is launched
        auto const made = task.launch.evaluate(scope_of(size, config));
        if (!made) return made.error();
        std::string const why = device ? limit_exceeded(*device, *made) : std::string();
        if (!why.empty())
            return reference_failed(
                task, "fails on test `" + to_string(size) + "`", describe(launch_failed{why}));
    }
    return std::nullopt;
}

} // namespace detail

} // namespace lkt
