// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/problem_oracle.hpp>

#include <lkt/verify/recorded_oracle.hpp>
#include <lkt/verify/script_oracle.hpp>

#include <utility>

namespace lkt {

result<test_suite> suite_of_problem_oracle(problem const& task,
                                           std::vector<test_case> tests,
                                           call_context const& context,
                                           oracle_options const& options) {
    if (!task.oracle)
        return error{condition::rejected,
                     "lkt.verify.oracle",
                     "the problem names no oracle",
                     "Use the original as the oracle (prepare_suite), or name an oracle."};
    auto const& [from, path, function] = *task.oracle;
    if (from == oracle_source::kind::recorded)
        return suite_of(recorded_oracle{path}, task, std::move(tests), context, options);
    auto const oracle = read_script_oracle(
        path,
        function,
        from == oracle_source::kind::torch ? array_library::torch : array_library::numpy);
    if (!oracle) return oracle.error();
    return suite_of(*oracle, task, std::move(tests), context, options);
}

} // namespace lkt
