// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/test_generator.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What an oracle says of one test: each judged output, of the type and size that the test gives
/// it, in the signature's order.
using oracle_answer = std::vector<argument_data>;

/// Computes the outputs of a correct kernel, without a back end. One answer for each test.
template <class O>
concept output_oracle =
    requires(O const& o, problem const& p, std::span<test_case const> t, call_context const& c) {
        { o.answer(p, t, c) } -> std::same_as<result<std::vector<oracle_answer>>>;
        { o.describe() } -> std::convertible_to<std::string>;
    };

/// Positions of the arguments that are judged: neither `in` nor scratch.
[[nodiscard]] std::vector<std::size_t> judged_outputs(problem const& task);

namespace detail {
using ask_oracle =
    std::function<result<std::vector<oracle_answer>>(std::span<test_case const> tests)>;
[[nodiscard]] result<test_suite> suite_of_answers(problem const& task,
                                                  std::vector<test_case> tests,
                                                  ask_oracle const& ask,
                                                  std::string const& name,
                                                  oracle_options const& options);
} // namespace detail

/// A suite whose expected outputs come from the oracle. It is asked once for all tests, and again
/// for the smallest: answers that differ within the tolerance give a note. A tuner that is given
/// this suite (`tune_options::tests`) verifies the original first, and asks a copy of the oracle
/// about more tests (`test_suite::further`), where there can be one.
///
/// Errors: what the oracle returns; `lkt.verify.oracle_output` (rejected) for an answer that does
/// not fit; `lkt.verify.oracle_unstable` for two that differ; a test that does not fit the kernel.
template <output_oracle O>
[[nodiscard]] result<test_suite> suite_of(O const& oracle,
                                          problem const& task,
                                          std::vector<test_case> tests,
                                          call_context const& context,
                                          oracle_options const& options = {}) {
    auto suite = detail::suite_of_answers(
        task,
        std::move(tests),
        [&](std::span<test_case const> some) { return oracle.answer(task, some, context); },
        oracle.describe(),
        options);
    if constexpr (std::copy_constructible<O>)
        if (suite)
            suite->further = [oracle, task, options](std::vector<test_case> more,
                                                     call_context const& now) {
                return suite_of(oracle, task, std::move(more), now, options);
            };
    return suite;
}

} // namespace lkt
