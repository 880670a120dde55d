// SPDX-License-Identifier: BSL-1.0
// What the original, and versions of it, leave in their outputs.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lkt::detail {

/// A launch of the original, or of a version of it, on a test, whose arguments may be another's.
/// `shared`: how many times as much shared memory as the original it needs.
struct version_run {
    compiled_kernel const& kernel;
    test_case const& test;
    std::uint32_t shared = 1;
};

/// One launch of each, none longer than `limit`. On a CPU it takes far longer to start a process
/// than to launch a small kernel, so launches of one kernel at one size share a run, each with
/// arguments of its own. No candidate is run like this, since it might remember launches. Where a
/// shared run fails, each of its launches is made alone. Runs that name the same kernel have to
/// refer to the same object.
[[nodiscard]] std::vector<result<run_outcome>> runs_of_versions(gpu_ref backend,
                                                                std::span<version_run const> wanted,
                                                                problem const& task,
                                                                test_suite const& suite,
                                                                seconds limit,
                                                                call_context const& context);

/// What each leaves in its outputs; nothing where it fails.
[[nodiscard]] std::vector<std::vector<argument_data>>
outputs_of(gpu_ref backend,
           std::span<version_run const> wanted,
           problem const& task,
           test_suite const& suite,
           seconds limit,
           call_context const& context);

/// The same of one.
[[nodiscard]] inline std::vector<argument_data> outputs_once(gpu_ref backend,
                                                             version_run const& wanted,
                                                             problem const& task,
                                                             test_suite const& suite,
                                                             seconds limit,
                                                             call_context const& context) {
    return std::move(outputs_of(backend, {&wanted, 1}, task, suite, limit, context).front());
}

/// Launches that share a run, at most.
inline constexpr std::size_t most_versions = 8;

/// How many versions of a test to ask for at once: their inputs are in memory together.
[[nodiscard]] inline std::size_t versions_at_once(test_case const& test) {
    constexpr std::size_t together = std::size_t{16} << 20;
    return std::clamp<std::size_t>(
        together / std::max<std::size_t>(1, bytes_of(test)), 1, most_versions);
}

} // namespace lkt::detail
