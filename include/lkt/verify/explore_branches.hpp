// SPDX-License-Identifier: BSL-1.0
// Tests that follow from what a kernel compares: where it decides, it is led the other way.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/branch_coverage.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// A kernel that was compiled with `compile_request::branches`.
struct watched_kernel {
    compiled_kernel const& compiled;
    kernel_source const& source;
    launch_formula const& launch;
    configuration const& config;
};

/// How long inputs are looked for that lead a kernel elsewhere: what is counted is the same on
/// every machine, and so is what is found.
struct exploration_options {
    std::uint64_t seed = 1; ///< of the inputs
    int rounds = 4;         ///< each begins from the tests that the one before found
    int runs = 400;         ///< of new inputs, at most
    int runs_of_one = 60;   ///< for one way to lead one comparison elsewhere
    /// `branches_seen::steps` of all runs, and their arguments, each 4 bytes as a step.
    std::uint64_t steps = 300'000'000;
    int sweep = 100;         ///< short runs, of many sizes each
    seconds time{30};        ///< for all, as a stop: what was found until then counts
    seconds launch_limit{5}; ///< for one launch
};

/// What `explore_branches` found.
struct exploration {
    branch_coverage seen;
    std::vector<test_case> tests; ///< that took a way which no other one took
};

/// Runs the kernel on the tests of the suite, and sees which ways its comparisons never took. For
/// each of these it looks for inputs, scalars and sizes that lead there (Aschermann et al.,
/// REDQUEEN, NDSS 2019, and what solves equations):
/// - a number that it compares with becomes an element, with its neighbours, and an extent;
/// - where an operand is an element of an input, that element becomes the other operand;
/// - an operand that moves with an element, a scalar or an extent is followed to where it meets the
///   other one: by secants, and bit by bit where that is linear over bits;
/// - an operand that is below the other one in one test and above it in another of its size is
///   followed through inputs of which a part is from either;
/// - scalars of thousands of sizes pass through one block: a size that takes a new way is tested;
/// - where the text, or the original's, looks at bits of addresses, buffers are off by one element,
///   if the original bears it and the device is `simulated`: what it does there is tested.
/// All values are fair (`fair_values`, `fair_scalar`, `fair_size`). A way through a comparison
/// that the kernel hides (a hash) stays unreached, and `seen` says so.
[[nodiscard]] result<exploration> explore_branches(gpu_ref backend,
                                                   watched_kernel const& kernel,
                                                   problem const& task,
                                                   test_suite const& suite,
                                                   call_context const& context,
                                                   exploration_options const& options = {});

} // namespace lkt
