// SPDX-License-Identifier: BSL-1.0
// Tests at the numbers of a candidate's own text: where it may branch.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// Tests of inputs that no menu knows. A kernel that does something else above 0.75, at 4097
/// elements or for the value 1234 has to have that number somewhere: here the numbers, their
/// neighbours and their opposites become elements of inputs, as far as these are fair
/// (`fair_values`), and so do what lies beyond them, up to twice as far, and numbers whose products
/// are about as large, and what may stand for infinity (3e38); whole ones, their neighbours, what
/// is a little larger and extents twice as large become extents, and numbers of blocks, and two or
/// three that follow each other several extents at once, as far as the problem has
/// `size_constraints`; and all of them values of scalars that may vary (`fair_scalar`).
struct threshold_tests {
    std::vector<double> numbers{}; ///< see `own_numbers`
    std::uint64_t seed = 1;
    bytes limit{std::uint64_t{1} << 30}; ///< memory for the arguments of one test
    int sizes = 20;                      ///< with such an extent, at most
    int blocks = 8;                      ///< with so many blocks, at most
    int pairs = 24;                      ///< with two that follow each other, and half as many
                                         ///< with two or three others, at most
    int scalars = 48;                    ///< tests with such a scalar, at most
    /// These become extents with 1 in all other directions: what a block has room for is a number
    /// of elements. Up to 24 sizes.
    std::vector<double> alone{};
    /// How the kernel is launched, and in which configuration: a whole number may be one of blocks.
    /// Null: as the original.
    launch_formula const* launch = nullptr;
    configuration config{};
    /// Of all arguments of a test together, about: an extent of 2^20 is to be tried.
    std::uint64_t max_elements = std::uint64_t{1} << 20;

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
