// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// Tests that follow from the problem alone: its timed size, each further size, the timed size once
/// more with other values, against kernels that remember their answer, and, if the problem says
/// which sizes are valid (`size_constraints`), hidden sizes: a kernel that is right only at the
/// known ones is wrong. Without constraints there are no hidden sizes, because the original may not
/// support them.
struct signature_tests {
    std::uint64_t seed = 1;
    bool other_values = true;            ///< the test with the timed size and other values
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test
    int hidden_sizes = 6;                ///< at most; see `generated_sizes`

    /// Errors: an argument whose count or value does not evaluate, does not fit or is too large; a
    /// distribution that its type cannot follow; `cancelled`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
