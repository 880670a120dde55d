// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <string>

namespace lkt {

/// `N=256, K=64`; `no size` where a problem has none.
[[nodiscard]] std::string to_string(problem_size const& size);

/// Whether every argument of the signature has its description. Everything in `verify` that takes
/// a problem asks this first, because problems come from files.
[[nodiscard]] result<void> check_problem(problem const& task);

/// Whether `test` can be fed to the problem's kernel: one value or buffer for each argument, of its
/// type, with as many elements as the problem says for the test's size. Tests come from users,
/// files and models.
[[nodiscard]] result<void> check_test(problem const& task, test_case const& test);

} // namespace lkt
