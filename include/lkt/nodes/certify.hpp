// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/evaluate/checked_part.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/verify/branch_coverage.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

enum class stage_end : unsigned char { passed, failed, skipped };
[[nodiscard]] constexpr std::string_view to_string(stage_end e) {
    return e == stage_end::passed ? "passed" : e == stage_end::failed ? "failed" : "skipped";
}

/// One step of a verification. The first note of a skipped step says why.
struct verification_stage {
    std::string name; ///< `text`, `tests`, `configurations`, `launches`, ...
    stage_end end = stage_end::passed;
    std::vector<std::string> notes;
    seconds spent{};
};

/// The result of all checks of a candidate.
struct verification {
    lkt::verdict verdict = lkt::verdict::accepted;
    std::optional<failure> why; ///< of a rejected one
    configuration config;       ///< in which it failed, or ran through all stages
    problem_size size;          ///< of the test that it failed; empty where it failed otherwise
    std::vector<verification_stage> stages;
    std::size_t configurations = 0; ///< that were run
    seconds spent{};
    checked_part checked{};             ///< of the configuration that ran through all stages
    branch_coverage branches{};         ///< of the same
    measurement time{};                 ///< of its timed launches; empty where it came to none
    std::vector<output_error> errors{}; ///< of the tests that this configuration passed
    /// The problem does not say which other sizes are fair (`size_constraints`), so a kernel that
    /// is right at those that it lists alone passes.
    bool listed_sizes_only = false;

    [[nodiscard]] bool accepted() const { return verdict == lkt::verdict::accepted; }
};

/// How much of a kernel is verified alone.
struct certify_options {
    std::size_t configurations = 64; ///< of the candidate, at most; spread over all of them
    int launches = 20;               ///< timed ones, in two series
};

namespace detail {
[[nodiscard]] result<verification> certify(state_ref const& s,
                                           tools_ref const& tools,
                                           gpu_ref gpu,
                                           candidate const& kernel,
                                           certify_options const& options);
} // namespace detail

/// Asks everything of one kernel that can be asked: its text, every test, its further
/// configurations, series of timed launches on changing inputs, the promises of the problem, the
/// checked mode, and whether its times can be. The first failure is the verdict, later stages are
/// not reached. Reads `task`, `device`, `tests` (prepared) and `baseline`, writes nothing. Errors:
/// the world's.
template <tuning_fields S, tools_with_gpu Tools>
[[nodiscard]] result<verification>
certify(S& s, Tools& tools, candidate const& kernel, certify_options const& options = {}) {
    return detail::certify(
        detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu), kernel, options);
}

} // namespace lkt
