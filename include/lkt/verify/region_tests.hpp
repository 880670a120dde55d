// SPDX-License-Identifier: BSL-1.0
// Tests whose inputs are dead or full by regions, as tiles of a kernel see them.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// A kernel may leave a tile out because nothing is in it, or take another way where little is, or
/// where all is; where values are drawn for each element alone, no tile is such. So the inputs,
/// seen as rows of one extent, are divided into regions of 32 x 8, 16 x 16 and 64 x 32 elements
/// (powers of two, at multiples of themselves, as blocks are). In a region all are 0, or none, all
/// but one, one in 16, or one alone; what is not 0 is what the problem draws. Half of the tests
/// have other regions in each input. None where no input may be 0 and something else.
///
/// Six tests: each shape with rows of the first extent that divides an input, and of the second.
/// Unless `all` are asked for, three: by turns with these and those, from which the seed draws.
struct region_tests {
    std::uint64_t seed = 1;
    int hidden_sizes = 6;                            ///< as in `signature_tests`
    bool all = true;                                 ///< tests, or half of them
    std::uint64_t elements = std::uint64_t{1} << 19; ///< of all arguments of a test, at most
    double work = 0x1p26;                ///< operations of the original (`counted_work`), at most
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
