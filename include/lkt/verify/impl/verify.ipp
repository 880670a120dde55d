// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/verify.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/guards.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

seconds launch_limit(prepared_test const& test) {
    return std::max(seconds{5}, 20 * test.reference_time);
}

namespace detail {

/// The tests by the memory that they take.
std::vector<prepared_test const*> small_first(test_suite const& suite) {
    auto const size = [](prepared_test const& t) {
        std::size_t sum = 0;
        for (argument_data const& a : t.test.arguments) sum += a.bytes.size();
        return sum;
    };
    // There are few tests, so the simplest sort will do.
    std::vector<prepared_test const*> tests;
    for (prepared_test const& test : suite.tests) {
        auto place = tests.end();
        while (place != tests.begin() && size(*place[-1]) > size(test)) --place;
        tests.insert(place, &test);
    }
    return tests;
}

/// The first wrong output among those of one launch, with its argument's position in the launch's
/// outputs.
struct found_mismatch {
    std::size_t position = 0;
    mismatch difference;
    wrong_output report;
};
std::optional<found_mismatch> first_mismatch(problem const& task,
                                             test_suite const& suite,
                                             prepared_test const& test,
                                             std::vector<argument_data> const& outputs) {
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        auto difference = find_mismatch(test.expected[p], outputs[p], test.bounds[p]);
        if (!difference) continue;
        auto report = describe_mismatch(
            *difference, test.expected[p], outputs[p], test.bounds[p], test.test.size);
        report.test = test.test.name;
        report.argument = task.signature.arguments[positions[p]].name;
        return found_mismatch{p, std::move(*difference), std::move(report)};
    }
    return std::nullopt;
}

/// Launches the wrong kernel twice more, to tell the model what kind of mistake it is. Whatever
/// goes wrong here changes nothing about the verdict.
std::string explain_mismatch(gpu_ref backend,
                             compiled_kernel const& kernel,
                             launch_dimensions const& dimensions,
                             prepared_test const& test,
                             test_suite const& suite,
                             found_mismatch const& found,
                             std::vector<argument_data> const& outputs,
                             std::uint64_t seed,
                             seconds limit,
                             call_context const& context) {
    // Launch 0 of the same seed repeats the poison, launch 1 has another.
    auto request = request_on(test.test, suite.directions, dimensions, 2, seed, limit);
    request.contents = test.arguments_id;
    auto again = launch(backend, kernel, request, test.test, suite.directions, context);
    if (!again || !std::holds_alternative<run_report>(*again)) return {};
    auto const& kept = std::get<run_report>(*again).kept;
    std::size_t const k = output_positions(suite.directions)[found.position];
    return describe_rerun(found.difference,
                          suite.directions[k],
                          test.test.arguments[k],
                          outputs[found.position],
                          kept[0].outputs[found.position],
                          kept[1].outputs[found.position]);
}

result<std::optional<failure>> verify_kernel(gpu_ref backend,
                                             compiled_kernel const& kernel,
                                             problem const& task,
                                             launch_formula const& launch,
                                             configuration const& config,
                                             test_suite const& suite,
                                             call_context const& context,
                                             verify_options const& options) {
    if (suite.tests.empty())
        return error{condition::rejected,
                     "lkt.verify.no_tests",
                     "there is no test for the kernel " + task.signature.name,
                     "Prepare the suite with prepare_suite first."};
    if (options.times) options.times->assign(suite.tests.size(), seconds{});
    std::uint64_t seed = options.seed;
    for (prepared_test const* test : small_first(suite)) {
        auto const number = static_cast<std::size_t>(test - suite.tests.data());
        if (!options.tests.empty() &&
            std::find(options.tests.begin(), options.tests.end(), number) == options.tests.end())
            continue;
        ++seed;
        auto const dimensions = launch.evaluate(scope_of(test->test.size, config));
        if (!dimensions)
            return std::optional<failure>(
                launch_failed{to_string(test->test.size) + ": " + dimensions.error().message});
        seconds const limit =
            options.time_limit > seconds{} ? options.time_limit : launch_limit(*test);
        auto request = request_on(test->test, suite.directions, *dimensions, 1, seed, limit);
        request.contents = test->arguments_id;
        request.expected = test->expectation();
        auto outcome =
            detail::launch(backend, kernel, request, test->test, suite.directions, context);
        if (!outcome) return outcome.error();
        if (auto* f = std::get_if<failure>(&*outcome)) return std::optional<failure>(std::move(*f));
        auto const& report = std::get<run_report>(*outcome);
        if (options.times && !report.samples.empty())
            (*options.times)[number] = report.samples.front();
        auto const& kept = report.kept.front();
        if (kept.as_expected) continue;
        auto const& outputs = kept.outputs;
        auto found = first_mismatch(task, suite, *test, outputs);
        if (!found) continue;
        std::string const why = explain_mismatch(
            backend, kernel, *dimensions, *test, suite, *found, outputs, seed, limit, context);
        if (!why.empty()) found->report.pattern += "; " + why;
        return std::optional<failure>(std::move(found->report));
    }
    return std::optional<failure>();
}

} // namespace detail

result<std::optional<failure>> check_outputs(problem const& task,
                                             test_suite const& suite,
                                             std::size_t test,
                                             std::vector<int> const& keep,
                                             run_report const& report) {
    prepared_test const& prepared = suite.tests[test];
    auto const positions = output_positions(suite.directions);
    bool const comparable = prepared.expected_id != 0;
    if (auto ok = detail::check_kept(report.kept, keep, comparable, prepared.test, positions); !ok)
        return ok.error();
    for (kept_outputs const& kept : report.kept) {
        if (kept.as_expected) continue;
        if (auto found = detail::first_mismatch(task, suite, prepared, kept.outputs)) {
            found->report.pattern =
                "in timed launch " + std::to_string(kept.launch) + ": " + found->report.pattern;
            return std::optional<failure>(std::move(found->report));
        }
    }
    return std::optional<failure>();
}

} // namespace lkt
