// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/checked_part.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/output_error.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/branch_coverage.hpp>

#include <optional>
#include <vector>

namespace lkt {

/// A kernel in one configuration, and how long a launch of it takes at the timed size.
struct tuned_kernel {
    candidate kernel;
    configuration config;
    launch_dimensions dimensions;
    measurement time;                            ///< empty until it was measured
    std::optional<kernel_resources> resources{}; ///< where the back end's compiler tells them
    double occupancy = 0;                    ///< resident warps, of those that fit; 0 where unknown
    std::optional<kernel_profile> profile{}; ///< of one launch, where the run profiles
    checked_part checked{};
    branch_coverage branches{};
    std::vector<output_error> errors{}; ///< of the tests that it passed
};

/// The proposal became the best kernel; both were measured side by side, unless they are far apart.
struct improvement {
    measurement before, after;
};

/// The proposal computes the right results, but was not faster by more than the noise.
struct no_improvement {
    comparison verdict = comparison::undecided; ///< `slower` or `undecided`
    measurement best, got;                      ///< measured side by side
};

} // namespace lkt
