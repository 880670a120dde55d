// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace lkt {

/// Where two oracles disagree.
struct suite_difference {
    std::size_t test = 0, argument = 0; ///< positions in the suite and in the signature
    wrong_output what;                  ///< `expected` is the first suite's, `got` the second's
};

/// Compares what two oracles say of the same tests: another back end's original, a function, a
/// record. Each output by the bounds of `a`. Empty: they agree. Errors (rejected,
/// `lkt.verify.oracle_compare`): the suites are not of the same tests.
[[nodiscard]] result<std::vector<suite_difference>>
compare_suites(problem const& task, test_suite const& a, test_suite const& b);

namespace detail {
[[nodiscard]] result<std::optional<failure>> verify_original(gpu_ref backend,
                                                             problem const& task,
                                                             test_suite const& suite,
                                                             call_context const& context,
                                                             oracle_options const& options);
} // namespace detail

/// Whether the original kernel computes what another oracle's suite expects: nothing, or what is
/// wrong with the one or the other. Cost: one compilation, and one call for each test.
template <gpu_backend B>
[[nodiscard]] result<std::optional<failure>> verify_original(B& backend,
                                                             problem const& task,
                                                             test_suite const& suite,
                                                             call_context const& context,
                                                             oracle_options const& options = {}) {
    return detail::verify_original(gpu_ref(backend), task, suite, context, options);
}

} // namespace lkt
