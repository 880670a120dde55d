// SPDX-License-Identifier: BSL-1.0
// Inputs that say little, since they hold the same few values in every test.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

namespace lkt {

/// Whole inputs that held one or two values in all tests, and others that held one: a kernel may do
/// anything for other values. `suite.notes` name them, but for those whose domain has no others.
/// Cost: looks at each element of an input that has no third value.
void note_few_values(problem const& task, test_suite& suite);

} // namespace lkt
