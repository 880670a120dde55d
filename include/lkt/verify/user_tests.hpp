// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_check.hpp>
#include <lkt/verify/test_generator.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// Tests that the user wrote down: `user_tests{{test, another}}`. A test without a name gets
/// `user test 1`, and so on.
struct user_tests {
    std::vector<test_case> tests;
    static constexpr bool user_supplied = true; ///< `all_of` puts these first

    /// Errors: a test that does not fit the problem's kernel.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const&) const {
        std::vector<test_case> named = tests;
        for (std::size_t k = 0; k < named.size(); ++k) {
            if (named[k].name.empty()) named[k].name = "user test " + std::to_string(k + 1);
            if (auto ok = check_test(task, named[k]); !ok) return ok.error();
        }
        return named;
    }
};

} // namespace lkt
