// SPDX-License-Identifier: BSL-1.0
// Outputs in which nothing is computed.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

namespace lkt::detail {

/// Whether every floating output of the suite consists of values of the one floating input, and
/// there is such an output: what is computed beside them (the indices of the largest) follows from
/// comparisons, without a sum.
[[nodiscard]] bool only_copies(problem const& task, test_suite const& suite);

/// Floating outputs of 16 bits or more with default bounds whose every value, in every test, is a
/// value of an input, or 0: the original moves data, so its candidates have to give the same
/// values, but for denormal numbers where these may be flushed. `suite.notes` say so.
void expect_copies(problem const& task, test_suite& suite);

} // namespace lkt::detail
