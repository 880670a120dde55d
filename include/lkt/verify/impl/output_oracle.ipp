// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/output_oracle.hpp>

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/tolerance.hpp>

#include <algorithm>

namespace lkt {

std::vector<std::size_t> judged_outputs(problem const& task) {
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < task.arguments.size(); ++k)
        if (task.flow(k) != direction::in && !task.arguments[k].scratch) positions.push_back(k);
    return positions;
}

namespace detail {

namespace answer_parts {

/// Whether an answer has what the test asks for.
result<void> check_answer(problem const& task,
                          std::string const& name,
                          test_case const& test,
                          oracle_answer const& answer) {
    auto const outputs = judged_outputs(task);
    auto const bad = [&](std::string what) {
        return error{condition::rejected,
                     "lkt.verify.oracle_output",
                     name + " gives " + std::move(what) + " on test `" + test.name + "`",
                     "Return each output once, complete and in the signature's order."};
    };
    if (answer.size() != outputs.size())
        return bad(std::to_string(answer.size()) + " instead of " + std::to_string(outputs.size()) +
                   " outputs");
    for (std::size_t p = 0; p < outputs.size(); ++p) {
        argument_data const& wanted = test.arguments[outputs[p]];
        if (answer[p].type != wanted.type || answer[p].bytes.size() != wanted.bytes.size())
            return bad(std::to_string(answer[p].count()) + " values of " +
                       to_string(answer[p].type) + " instead of " + std::to_string(wanted.count()) +
                       " of " + to_string(wanted.type) + " for the output `" +
                       task.signature.arguments[outputs[p]].name + "`");
    }
    return {};
}

/// Takes one test's answer into the suite.
result<void>
take_answer(problem const& task, test_suite& suite, prepared_test& now, oracle_answer&& answer) {
    std::size_t next = 0;
    for (std::size_t const k : output_positions(suite.directions)) {
        // What nobody compares still has its place.
        argument_data expected =
            task.arguments[k].scratch ? now.test.arguments[k] : std::move(answer[next++]);
        auto const bounds = bounds_for(task, k, now.test, expected);
        if (!bounds) return bounds.error();
        expect(task, suite, now, k, std::move(expected), *bounds);
    }
    now.arguments_id = fresh_contents();
    now.expected_id = suite.comparators.empty() ? fresh_contents() : 0;
    return {};
}

/// Asks again for one test, and compares.
result<void> check_repeated(problem const& task,
                            test_suite& suite,
                            prepared_test const& now,
                            ask_oracle const& ask,
                            std::string const& name) {
    auto const again = ask({&now.test, 1});
    if (!again) return again.error();
    if (again->size() != 1)
        return error{condition::rejected,
                     "lkt.verify.oracle_output",
                     name + " gives a different number of answers when it is asked again",
                     {}};
    if (auto ok = check_answer(task, name, now.test, again->front()); !ok) return ok.error();
    auto const positions = output_positions(suite.directions);
    std::size_t next = 0;
    for (std::size_t p = 0; p < positions.size(); ++p) {
        if (task.arguments[positions[p]].scratch) continue;
        argument_data const& other = again->front()[next++];
        if (other.bytes == now.expected[p].bytes) continue;
        std::string const what = "output `" + task.signature.arguments[positions[p]].name +
                                 "` of " + name + " changes from call to call on test `" +
                                 now.test.name + "`";
        if (judge_output(task, suite, now, p, other))
            return error{condition::rejected,
                         "lkt.verify.oracle_unstable",
                         "the " + what,
                         "Nothing can be compared with it: remove the randomness, or seed it."};
        suite.notes.push_back("the " + what + ", within its tolerance");
    }
    return {};
}

} // namespace answer_parts

result<test_suite> suite_of_answers(problem const& task,
                                    std::vector<test_case> tests,
                                    ask_oracle const& ask,
                                    std::string const& name,
                                    oracle_options const& options) {
    using namespace answer_parts;
    auto suite = begin_suite(task, tests, options);
    if (!suite) return suite;
    if (judged_outputs(task).empty())
        return error{condition::rejected,
                     "lkt.verify.no_output",
                     "every output of the kernel " + task.signature.name + " is scratch",
                     "Declare at least one that is not."};
    auto answers = ask(tests);
    if (!answers) return answers.error();
    if (answers->size() != tests.size())
        return error{condition::rejected,
                     "lkt.verify.oracle_output",
                     name + " gives " + std::to_string(answers->size()) + " answers for " +
                         std::to_string(tests.size()) + " tests",
                     "One answer is needed for each test, in their order."};
    for (std::size_t t = 0; t < tests.size(); ++t) {
        if (auto ok = check_answer(task, name, tests[t], (*answers)[t]); !ok) return ok.error();
        prepared_test now{.test = std::move(tests[t]), .expected = {}, .bounds = {}};
        if (auto ok = take_answer(task, *suite, now, std::move((*answers)[t])); !ok)
            return ok.error();
        suite->tests.push_back(std::move(now));
    }
    auto const smallest = std::min_element(
        suite->tests.begin(), suite->tests.end(), [](auto const& a, auto const& b) {
            return bytes_of(a.test) < bytes_of(b.test);
        });
    if (auto ok = check_repeated(task, *suite, *smallest, ask, name); !ok) return ok.error();
    suite->oracle = name;
    suite->notes.insert(suite->notes.begin(), "the expected outputs were computed by " + name);
    return suite;
}

} // namespace detail

} // namespace lkt
