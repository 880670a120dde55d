// SPDX-License-Identifier: BSL-1.0
// Tests at every small extent.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// An index by a reciprocal that is one bit too short is wrong for a few divisors, which no seed
/// hits: so each extent takes every value from 1 on, with the others as large as `elements` allow,
/// up to 129, so that blocks are full. Usual values. None without size constraints.
struct extent_tests {
    std::uint64_t seed = 1;
    std::int64_t through = 128;                      ///< the largest extent; 0: no tests
    std::uint64_t elements = std::uint64_t{1} << 15; ///< of all arguments of a test
    bytes limit{std::uint64_t{4} << 30};             ///< memory for the arguments of one test

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
