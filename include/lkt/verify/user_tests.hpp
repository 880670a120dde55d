// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <vector>

namespace lkt {

/// Tests that the user wrote down: `user_tests{{test, another}}`. A test without a name gets
/// `user test 1`, and so on.
struct user_tests {
    std::vector<test_case> tests;
    static constexpr bool user_supplied = true; ///< `all_of` puts these first

    /// Errors: a test that does not fit the problem's kernel.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
