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
/// more with other values, which a kernel that remembers its answer cannot know, and, where the
/// problem says which sizes are fair (`size_constraints`), sizes that nobody was told: a kernel
/// that is right at the known ones only is wrong. Where it does not say, a size that nobody asked
/// for may be one that the original does not promise.
struct signature_tests {
    std::uint64_t seed = 1;
    bool other_values = true;            ///< the test with the timed size and other values
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test
    int hidden_sizes = 5;                ///< at most; see `generated_sizes`

    /// Errors: an argument whose count or value does not evaluate, does not fit or is too large; a
    /// distribution that its type cannot follow; `cancelled`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
