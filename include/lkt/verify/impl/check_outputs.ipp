// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/verify.hpp>

#include <lkt/core/secret_stream.hpp>
#include <lkt/verify/detail/evidence.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

std::optional<found_mismatch> first_mismatch(problem const& task,
                                             test_suite const& suite,
                                             prepared_test const& test,
                                             std::vector<argument_data> const& outputs) {
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        auto difference = judge_output(task, suite, test, p, outputs[p]);
        if (!difference) continue;
        auto report = describe_mismatch(
            *difference, test.expected[p], outputs[p], test.bounds[p], test.test.size);
        report.test = test.test.name;
        report.argument = task.signature.arguments[positions[p]].name;
        return found_mismatch{p, std::move(*difference), std::move(report)};
    }
    return std::nullopt;
}

wrong_evidence evidence_of(test_suite const& suite,
                           prepared_test const& test,
                           found_mismatch const& found,
                           argument_data const& got) {
    std::size_t const p = found.position;
    std::size_t const argument = output_positions(suite.directions)[p];
    wrong_evidence e{test.expected[p], got, found.difference, test.bounds[p]};
    e.flow = suite.directions[argument];
    if (e.flow == direction::inout) e.before = &test.test.arguments[argument];
    for (std::size_t k = 0; k < suite.directions.size(); ++k)
        if (suite.directions[k] != direction::out && k != argument && test.test.arguments[k].buffer)
            e.inputs.push_back(&test.test.arguments[k]);
    for (prepared_test const& other : suite.tests)
        if (&other != &test && p < other.expected.size()) e.others.push_back(&other.expected[p]);
    return e;
}

when_fresh outcome_when_fresh(gpu_ref backend,
                              compiled_kernel const& kernel,
                              problem const& task,
                              test_suite const& suite,
                              prepared_test const& test,
                              run_request request,
                              call_context const& context) {
    constexpr std::uint64_t launches = 3;
    request.fresh = true;
    std::uint64_t const seed = request.poison_seed;
    std::uint64_t right = 0;
    for (std::uint64_t k = 0; k < launches; ++k) {
        request.poison_seed = drawn(secret_of(seed), "fresh", k);
        auto const ran = launch(backend, kernel, request, test.test, suite.directions, context);
        if (!ran || !std::holds_alternative<run_report>(*ran)) return when_fresh::unknown;
        auto const& kept = std::get<run_report>(*ran).kept.front();
        right += kept.as_expected || !first_mismatch(task, suite, test, kept.outputs) ? 1 : 0;
    }
    return right == launches ? when_fresh::right
           : right == 0      ? when_fresh::wrong
                             : when_fresh::varies;
}

} // namespace detail

fresh_outcome ask_fresh(gpu_ref backend,
                        compiled_kernel const& kernel,
                        problem const& task,
                        test_suite const& suite,
                        launch_dimensions const& dimensions,
                        std::uint64_t poison_seed,
                        seconds limit,
                        call_context const& context) {
    return [=, &kernel, &task, &suite, &context](std::size_t number) {
        prepared_test const& test = suite.tests[number];
        auto const request =
            detail::request_on(test.test, suite.directions, dimensions, 1, poison_seed, limit);
        return detail::outcome_when_fresh(backend, kernel, task, suite, test, request, context);
    };
}

result<std::optional<failure>> check_outputs(problem const& task,
                                             test_suite const& suite,
                                             std::vector<std::size_t> const& tests,
                                             std::vector<int> const& keep,
                                             run_report const& report,
                                             fresh_outcome const& fresh) {
    auto const positions = output_positions(suite.directions);
    auto const made = std::partition_point(keep.begin(), keep.end(), [&](int launch) {
        return static_cast<std::size_t>(launch) < report.samples.size();
    });
    std::span const wanted(keep.begin(), std::max(made, keep.begin() + (keep.empty() ? 0 : 1)));
    test_case const& timed = suite.tests[tests.front()].test;
    if (auto ok = detail::check_launches(report.kept, wanted, timed); !ok) return ok.error();
    for (kept_outputs const& kept : report.kept) {
        if (kept.set >= tests.size())
            return detail::fault_of_report("returned arguments that it was not given", timed);
        prepared_test const& prepared = suite.tests[tests[kept.set]];
        bool const comparable = prepared.expected_id != 0;
        if (auto ok = detail::check_kept_one(kept, comparable, prepared.test, positions); !ok)
            return ok.error();
        if (kept.as_expected) continue;
        if (auto found = detail::first_mismatch(task, suite, prepared, kept.outputs)) {
            found->report.pattern =
                "in timed launch " + std::to_string(kept.launch) + ": " + found->report.pattern;
            auto e = detail::evidence_of(suite, prepared, *found, kept.outputs[found->position]);
            e.timed = true;
            if (fresh) e.fresh = fresh(tests[kept.set]);
            auto const kind = classify(e);
            found->report.as = kind.as;
            if (!kind.why.empty()) found->report.pattern += "; " + kind.why;
            return std::optional<failure>(std::move(found->report));
        }
    }
    return std::optional<failure>();
}

} // namespace lkt
