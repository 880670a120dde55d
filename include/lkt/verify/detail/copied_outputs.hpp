// SPDX-License-Identifier: BSL-1.0
// Outputs in which nothing is computed.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

namespace lkt::detail {

/// Floating outputs of 16 bits or more with default bounds whose every value, in every test, is a
/// value of an input, or 0: the original moves data, so its candidates have to give the same
/// values, but for denormal numbers where these may be flushed. `suite.notes` say so.
void expect_copies(problem const& task, test_suite& suite);

} // namespace lkt::detail
