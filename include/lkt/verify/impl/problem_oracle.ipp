// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/problem_oracle.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/recorded_oracle.hpp>
#include <lkt/verify/script_oracle.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lkt {

namespace problem_oracle_parts {

/// Inputs that are larger than this are not asked about again.
constexpr std::size_t moved_bytes = std::size_t{4} << 20;
constexpr double most_widened = 16;

/// How far an output moves where the inputs do by as much as rounding adds up to.
double largest_move(argument_data const& before, argument_data const& after) {
    double most = 0;
    for (std::size_t k = 0; k < before.lanes() && k < after.lanes(); ++k) {
        double const move = std::fabs(lane_as_double(after, k) - lane_as_double(before, k));
        if (std::isfinite(move)) most = std::max(most, move);
    }
    return most;
}

/// What `keep_sound_tests` does with an original there is no original for: a default bound becomes
/// twice as wide as the function itself moves when inputs do, but not more than 16 times as wide.
result<void> widen(script_oracle const& oracle,
                   problem const& task,
                   test_suite& suite,
                   call_context const& context,
                   oracle_options const& options) {
    auto const outputs = judged_outputs(task);
    std::vector<test_case> moved;
    std::vector<prepared_test*> of;
    for (prepared_test& t : suite.tests) {
        std::size_t bytes = 0, most = 1;
        for (argument_data const& a : t.test.arguments) bytes += a.bytes.size();
        for (argument_data const& e : t.expected) most = std::max(most, e.lanes());
        if (bytes > moved_bytes || t.expected.size() != outputs.size()) continue;
        double const terms = reduction_length(task, t.test, static_cast<double>(most));
        of.push_back(&t);
        moved.push_back(moved_by_units(task,
                                       t.test,
                                       static_cast<std::uint32_t>(std::ceil(std::sqrt(terms))),
                                       options.seed,
                                       static_cast<std::uint32_t>(moved.size())));
    }
    if (moved.empty()) return {};
    auto const answers = oracle.answer(task, moved, context);
    if (!answers) return answers.error();
    for (std::size_t t = 0; t < of.size() && t < answers->size(); ++t)
        for (std::size_t p = 0; p < outputs.size() && p < (*answers)[t].size(); ++p) {
            argument_data const& expected = of[t]->expected[p];
            if (task.arguments[outputs[p]].bound || !is_floating(expected.type.scalar)) continue;
            tolerance& bound = of[t]->bounds[p];
            double const wide = 2 * largest_move(expected, (*answers)[t][p]);
            bound.absolute =
                std::max(bound.absolute, std::min(wide, most_widened * bound.absolute));
        }
    return {};
}

} // namespace problem_oracle_parts

result<test_suite> suite_of_problem_oracle(problem const& task,
                                           std::vector<test_case> tests,
                                           call_context const& context,
                                           oracle_options const& options) {
    if (!task.oracle)
        return error{condition::rejected,
                     "lkt.verify.oracle",
                     "the problem names no oracle",
                     "Use the original as the oracle (prepare_suite), or name an oracle."};
    auto const& [from, path, function, text] = *task.oracle;
    if (from == oracle_source::kind::recorded)
        return suite_of(recorded_oracle{path}, task, std::move(tests), context, options);
    auto const library =
        from == oracle_source::kind::torch ? array_library::torch : array_library::numpy;
    if (!text.empty()) {
        script_oracle const operation{{text, function, path, library}};
        auto suite = suite_of(operation, task, std::move(tests), context, options);
        if (!suite) return suite.error();
        if (auto ok = problem_oracle_parts::widen(operation, task, *suite, context, options); !ok)
            return ok.error();
        return suite;
    }
    auto const oracle = read_script_oracle(path, function, library);
    if (!oracle) return oracle.error();
    return suite_of(*oracle, task, std::move(tests), context, options);
}

} // namespace lkt
