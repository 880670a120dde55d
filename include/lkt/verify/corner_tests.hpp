// SPDX-License-Identifier: BSL-1.0
// Tests at the ends of what scalars may be, and at extents that have to do with each other.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// Tests that a random choice of sizes and scalars meets by chance only. A scalar that may vary
/// (`fair_scalar`) within a domain takes both ends of it, all scalars at once and each alone; where
/// a domain has one end, the other is as far as products bear (1e4 in float32). If the problem has
/// `size_constraints`, sizes with two extents that are equal, that differ by one, or one of which
/// is twice the other: a kernel may have another way for them, and sizes with one extent of 1 or 2,
/// which stand in every text. Where all named extents are smaller, also sizes with one extent
/// beyond 2^16 and little else (not where an original in WGSL loops: some devices end a loop
/// silently after 2^16 - 1 iterations).
struct corner_tests {
    std::uint64_t seed = 1;
    int hidden_sizes = 6;                ///< as in `signature_tests`
    int sizes = 12;                      ///< of related extents, at most
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
