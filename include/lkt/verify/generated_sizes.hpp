// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

struct size_options {
    std::uint64_t seed = 1;
    int count = 5;                                       ///< at most
    std::uint64_t max_elements = std::uint64_t{1} << 20; ///< of all arguments together
};

/// Hidden sizes, all meeting the problem's `size_constraints`, in turn: one beside the multiples of
/// 32, 64, 128, of block sizes, of the parameters' values and of the numbers in the constraints;
/// one whose extents are very unequal; one of primes and odd numbers; one of the smallest; one with
/// an extent as large as the constraints allow; one anywhere up to the timed one. A kind without a
/// valid size is replaced by another one. There are none without constraints, and none that the
/// problem names itself.
///
/// The same problem and seed give the same sizes. Cost: up to 2000 tries for each, of which each
/// evaluates the constraints.
[[nodiscard]] std::vector<problem_size> generated_sizes(problem const& task,
                                                        size_options const& options = {});

/// Whether a size is valid for a test: it meets the constraints (there may be none), every argument
/// has elements or a value that fits its type, and the launch formula gives a launch in the default
/// configuration and wherever one parameter differs from it, as far as the restrictions allow.
[[nodiscard]] bool fair_size(problem const& task, problem_size const& size);

} // namespace lkt
