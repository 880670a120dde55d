// SPDX-License-Identifier: BSL-1.0
// A kernel before its judge: what is run on one test, what is made of it, and what else is run to
// say what kind of wrong it is.
#pragma once

#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/classify.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/evidence.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/guards.hpp>
#include <lkt/verify/test_check.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// The tests by the memory that they take.
[[nodiscard]] inline std::vector<prepared_test const*> small_first(test_suite const& suite) {
    std::vector<prepared_test const*> tests;
    for (prepared_test const& test : suite.tests) tests.push_back(&test);
    std::ranges::stable_sort(tests, {}, [](prepared_test const* t) { return bytes_of(t->test); });
    return tests;
}

/// A compiled candidate before its judge.
struct candidate_on_trial {
    gpu_ref backend;
    compiled_kernel const& kernel;
    problem const& task;
    launch_formula const& formula;
    configuration const& config;
    test_suite const& suite;
    call_context const& context;
    verify_options const& options;

    [[nodiscard]] seconds limit(prepared_test const& test) const {
        return options.time_limit > seconds{} ? options.time_limit : launch_limit(test);
    }

    [[nodiscard]] bool any_asked() const {
        return std::ranges::any_of(suite.tests, [](prepared_test const& t) {
            return t.test.origin == test_origin::asked;
        });
    }

    [[nodiscard]] bool is_left_out(prepared_test const& test) const {
        return has_too_many_threads(kernel, formula, config, test.test);
    }

    /// What one test makes of it. `found` is set where an output is wrong, `report` where there is
    /// one.
    struct test_outcome {
        std::optional<failure> failed;
        std::optional<found_mismatch> found;
        run_report report;
        launch_dimensions dimensions;
        [[nodiscard]] bool passed() const { return !failed && !found; }
    };
    [[nodiscard]] result<test_outcome> run_test(prepared_test const& test,
                                                std::uint64_t seed) const {
        auto request = request_for(test, seed, true);
        if (auto* const why = std::get_if<failure>(&request)) return failed_before(std::move(*why));
        auto const& launches = std::get<run_request>(request);
        return judge(test, launches, backend.run(kernel, launches, context));
    }
    /// Where a CPU runs threads in turns, what is fast on a device may take long: a tile of 256 x
    /// 192 for a product of 3 x 3 is thousands of times the original's work. Slow is not wrong, so
    /// the limit on tests that lkt chose is only what tells it from a loop that does not end.
    [[nodiscard]] bool takes_turns(prepared_test const& test) const {
        return kernel.most_threads > 0 && test.test.origin != test_origin::asked;
    }
    static constexpr seconds endless{60};

    /// `passed`: it has passed a test before, or has none that was asked for.
    [[nodiscard]] std::variant<run_request, failure>
    request_for(prepared_test const& test, std::uint64_t seed, bool passed) const {
        auto const dimensions = formula.evaluate(scope_of(test.test.size, config));
        if (!dimensions)
            return failure(
                launch_failed{to_string(test.test.size) + ": " + dimensions.error().message});
        seconds most = limit(test);
        if (takes_turns(test))
            most = std::max({most,
                             passed && options.time_limit == seconds{} ? endless : seconds{},
                             seconds{1e-5} * static_cast<double>(dimensions->grid.count() *
                                                                 dimensions->block.count())});
        auto request = request_on(test.test, suite.directions, *dimensions, 1, seed, most);
        request.contents = test.arguments_id;
        if (!returned(test)) request.expected = test.expectation();
        return request;
    }
    [[nodiscard]] static test_outcome failed_before(failure why) {
        test_outcome made;
        made.failed = std::move(why);
        return made;
    }
    [[nodiscard]] result<test_outcome>
    judge(prepared_test const& test, run_request const& request, result<run_outcome> ran) const {
        auto outcome = complete(std::move(ran), request, test.test, suite.directions);
        if (!outcome) return outcome.error();
        if (auto* f = std::get_if<failure>(&*outcome)) return failed_before(std::move(*f));
        test_outcome made;
        made.dimensions = request.dimensions;
        made.report = std::move(std::get<run_report>(*outcome));
        auto const& kept = made.report.kept.front();
        if (!kept.as_expected && !kernel.stands_in)
            made.found = first_mismatch(task, suite, test, kept.outputs);
        return made;
    }

    /// How far the outputs of a test that passed are from what is expected.
    void add_errors(prepared_test const& test,
                    run_report const& report,
                    std::vector<output_error>& errors) const {
        if (report.kept.empty()) return;
        auto const& outputs = report.kept.front().outputs;
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < outputs.size() && p < positions.size(); ++p) {
            if (task.arguments[positions[p]].scratch || outputs[p].bytes.empty()) continue;
            auto e = distances_of(test.expected[p], outputs[p]);
            e.test = test.test.name;
            e.output = task.signature.arguments[positions[p]].name;
            errors.push_back(std::move(e));
        }
    }

    /// Few elements say that a kernel is wrong and not what kind of wrong it is: the smallest of
    /// the larger tests that it fails takes the place of `test`, which is returned where there is
    /// none.
    [[nodiscard]] prepared_test const*
    prefer_larger_test(test_outcome& wrong, prepared_test const* test, std::uint64_t seed) const {
        constexpr std::uint64_t enough = 32;
        if (wrong.found->difference.wrong.size() >= enough) return test;
        for (prepared_test const* larger : small_first(suite)) {
            bool const listed = options.tests.empty() ||
                                std::find(options.tests.begin(),
                                          options.tests.end(),
                                          static_cast<std::size_t>(larger - suite.tests.data())) !=
                                    options.tests.end();
            auto const elements = larger->expected[wrong.found->position].count();
            if (!listed || larger == test || elements < enough || is_left_out(*larger)) continue;
            auto made = run_test(*larger, seed);
            if (!made || !made->found) continue;
            wrong = std::move(*made);
            return larger;
        }
        return test;
    }

    /// Tells the model what kind of mistake it is. Whatever goes wrong here changes nothing about
    /// the verdict.
    void explain(test_outcome& wrong,
                 prepared_test const& test,
                 prepared_test const* passed,
                 bool timed_passed,
                 std::uint64_t seed) const {
        auto& found = *wrong.found;
        auto e = evidence_of(suite, test, found, wrong.report.kept.front().outputs[found.position]);
        e.subgroups = options.source != nullptr && uses_subgroups(*options.source);
        explained_output seen;
        if (options.explained) {
            seen.test = static_cast<std::size_t>(&test - suite.tests.data());
            seen.position = found.position;
            seen.config = config;
            seen.at_sight = classify(e).as;
            seen.few = found.difference.few();
            if (auto const* before = looks_like(seen)) {
                found.report.as = before->as;
                if (!before->why.empty())
                    found.report.pattern += "; assumed to be wrong for the same reason as " +
                                            to_string(before->config) +
                                            ", which was launched again: " + before->why;
                return;
            }
        }
        auto kind = after_more_launches(wrong, test, passed, timed_passed, seed, std::move(e));
        found.report.as = seen.as = kind.as;
        if (!kind.why.empty()) found.report.pattern += "; " + kind.why;
        seen.why = std::move(kind.why);
        if (options.explained) options.explained->push_back(std::move(seen));
    }

private:
    /// Another configuration that was wrong like this one, as far as one sees; or null.
    [[nodiscard]] explained_output const* looks_like(explained_output const& seen) const {
        for (explained_output const& other : *options.explained)
            if (other.test == seen.test && other.position == seen.position &&
                other.at_sight == seen.at_sight && other.few == seen.few)
                return &other;
        return nullptr;
    }
    /// What launching the wrong kernel again adds to what is known of it.
    [[nodiscard]] kind_of_wrong after_more_launches(test_outcome const& wrong,
                                                    prepared_test const& test,
                                                    prepared_test const* passed,
                                                    bool timed_passed,
                                                    std::uint64_t seed,
                                                    wrong_evidence e) const {
        std::size_t const p = wrong.found->position;
        std::size_t const argument = output_positions(suite.directions)[p];
        // Launch 0 of the same seed repeats the poison, launch 1 has another.
        auto request =
            request_on(test.test, suite.directions, wrong.dimensions, 2, seed, limit(test));
        request.contents = test.arguments_id;
        auto const reruns = outputs_of(request, test.test, suite.directions);
        std::string rerun;
        if (reruns.size() == 2) {
            e.again = &reruns[0][p];
            e.other_poison = &reruns[1][p];
            rerun = describe_rerun(e.difference,
                                   e.flow,
                                   test.test.arguments[argument],
                                   e.got,
                                   *e.again,
                                   *e.other_poison);
        }
        std::vector<argument_data> zeros, nans, others;
        if (rerun.find("not written") != rerun.npos) {
            zeros = from(0x00, wrong.dimensions, test, seed);
            nans = from(0xff, wrong.dimensions, test, seed);
            others = from(0x3f, wrong.dimensions, test, seed);
            if (p < zeros.size()) e.from_zeros = &zeros[p];
            if (p < nans.size()) e.from_nans = &nans[p];
            if (p < others.size()) e.from_others = &others[p];
        }
        if (passed != nullptr) {
            auto const repeated = run_test(*passed, seed ^ 0x5bd1e995);
            e.lapsed = repeated && repeated->found;
            auto const fresh = request_for(*passed, seed ^ 0x5bd1e995, true);
            if (e.lapsed && std::holds_alternative<run_request>(fresh))
                e.fresh = outcome_when_fresh(
                    backend, kernel, task, suite, *passed, std::get<run_request>(fresh), context);
        }
        if (&test != &suite.tests.front() && !e.lapsed)
            e.timed_right = timed_passed || right_when_timed(seed);
        auto kind = classify(e);
        if (!rerun.empty()) kind.why = kind.why.empty() ? rerun : rerun + "; " + kind.why;
        return kind;
    }
    /// Whether the outputs come back even from a back end that could compare them itself.
    [[nodiscard]] bool returned(prepared_test const& test) const {
        std::size_t bytes = 0;
        for (argument_data const& output : test.expected) bytes += output.bytes.size();
        return bytes <= options.returned_bytes || !suite.comparators.empty();
    }
    [[nodiscard]] bool right_when_timed(std::uint64_t seed) const {
        auto const made = run_test(suite.tests.front(), seed ^ 0x1b873593);
        return made && made->passed();
    }
    /// The outputs of each launch; empty where there are none.
    [[nodiscard]] std::vector<std::vector<argument_data>>
    outputs_of(run_request const& request,
               test_case const& test,
               std::vector<direction> const& directions) const {
        std::vector<std::vector<argument_data>> all;
        auto ran = launch(backend, kernel, request, test, directions, context);
        if (!ran || !std::holds_alternative<run_report>(*ran)) return all;
        for (kept_outputs& kept : std::get<run_report>(*ran).kept)
            all.push_back(std::move(kept.outputs));
        return all;
    }
    /// One launch in which outputs start from bytes of this value.
    [[nodiscard]] std::vector<argument_data> from(unsigned char value,
                                                  launch_dimensions const& dimensions,
                                                  prepared_test const& test,
                                                  std::uint64_t seed) const {
        test_case filled = test.test;
        auto directions = suite.directions;
        for (std::size_t k = 0; k < directions.size(); ++k) {
            if (directions[k] != direction::out) continue;
            directions[k] = direction::inout;
            auto& bytes = filled.arguments[k].bytes;
            std::fill(bytes.begin(), bytes.end(), std::byte{value});
        }
        auto request = request_on(filled, directions, dimensions, 1, seed, limit(test));
        auto all = outputs_of(request, filled, directions);
        return all.empty() ? std::vector<argument_data>() : std::move(all.front());
    }
};

} // namespace lkt::detail
