// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// How many hidden sizes are drawn, and how large.
struct size_options {
    std::uint64_t seed = 1; ///< of what is drawn
    int count = 5;          ///< at most
    /// Of all arguments together; the extents multiplied, a measure of the work, may be four times
    /// as many. One size beyond the named ones may have 2.5 times what the timed one has, up to
    /// 2^25 elements.
    std::uint64_t max_elements = std::uint64_t{1} << 20;
};

/// Hidden sizes, all meeting the problem's `size_constraints`, in turn: one whose extents lie
/// anywhere up to the named ones, each factor of two as often as another; one with all extents as
/// large as the constraints allow; one with an extent beyond all that are named; one next to a
/// named size; one whose extents are very unequal; one beside the multiples of 32, 64, 128, of
/// block sizes, of the parameters' values and of the numbers in the constraints; one whose extents
/// are equal; one of the smallest; one of primes. What is drawn is rounded to the constraints:
/// an extent moves to a multiple of a number in them, to that number, or to what another extent
/// makes of it. A kind without a valid size is replaced by another one. There are none without
/// constraints, and none that the problem names itself.
///
/// The same problem and seed give the same sizes. Cost: up to 40 tries for each, of which each
/// evaluates the constraints some hundred times where they have to be rounded to.
[[nodiscard]] std::vector<problem_size> generated_sizes(problem const& task,
                                                        size_options const& options = {});

/// Whether a size is valid for a test: it meets the constraints (there may be none), every argument
/// has elements or a value that fits its type, and the launch formula gives a launch in the default
/// configuration and wherever one parameter differs from it, as far as the restrictions allow.
[[nodiscard]] bool fair_size(problem const& task, problem_size const& size);

} // namespace lkt
