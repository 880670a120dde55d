// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// How large is too large.
struct large_test_options {
    /// What a launch of the original may take there, at 2^30 operations a second (`counted_work`)
    /// on a CPU and 2^40 on a GPU: every machine comes to the same size, unless it takes twice as
    /// long.
    seconds launch{0.02};
    bytes memory{std::uint64_t{512} << 20}; ///< for all arguments
    std::uint64_t seed = 1;                 ///< of the inputs
    seconds compile_limit{60};              ///< for the original
    seconds launch_limit{60};               ///< for one launch of it
};

namespace detail {

/// Tests at sizes that are reached by doubling extents of the timed one, since what computes
/// indices in a narrow type, or by a rounded reciprocal, is right at small ones: all extents, as
/// far as work and memory allow, and, where a launch may take 0.1 s, each alone, with the others at
/// most 2, and at most 128: to beyond 2^24, with twice the work and memory; where constraints end
/// it, exactly there, one before and with nothing beside it, with rows that are full
/// (`full_inputs`); and with a quarter of the work, 15 MiB and one value that stands out in each
/// row (`stand_out`). None where the problem has no `size_constraints` or more than 2^24 elements
/// already, or where no larger size is fair. Errors: `cancelled`; inputs that cannot be made. Cost:
/// those of `timed_size`, for each.
[[nodiscard]] result<std::vector<test_case>> large_tests(gpu_ref backend,
                                                         problem const& task,
                                                         call_context const& context,
                                                         large_test_options const& options);

} // namespace detail

} // namespace lkt
