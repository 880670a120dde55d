// SPDX-License-Identifier: BSL-1.0
// The second round of an evaluation: the fastest configurations against the best kernel so far.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/evaluate/tried_configuration.hpp>
#include <lkt/evaluate/tuned_kernel.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

/// What finals are given; functions may be empty.
struct finals_scope {
    /// The kernel to beat. Afterwards it has the time that it took beside the others, if it was
    /// measured: times of another hour, or of another process, would not compare.
    tuned_kernel& best;
    /// Kernels that are always measured with the others. Afterwards each has the measured time, or
    /// none if it no longer works.
    std::span<tuned_kernel> known = {};
    /// How many candidates go through every check even though they are not faster.
    std::size_t min_verified = 0;
    /// Why no further configurations are to be measured.
    std::function<std::optional<error>()> must_end{};
    /// Rounds of measurements that were made, and of all; 0 and 0 at the beginning.
    std::function<void(int, int)> on_progress{};
    /// A check that a finalist is about to go through.
    std::function<void(std::string_view)> on_check{};
};

/// The result of a candidate in the finals.
struct final_result {
    std::variant<failure, improvement, no_improvement> outcome;
    std::vector<tried_configuration> configurations;
    std::uint64_t space = 0;              ///< how many the candidate has
    std::optional<configuration> seen_in; ///< the configuration whose outcome it is
    std::vector<std::string> notes;
    std::vector<std::string> build_notes; ///< of the back end, on that configuration
    std::optional<tuned_kernel> winner;   ///< of an improvement
    std::optional<tuned_kernel> correct;  ///< passed every check, whether it is faster or not
};

/// The finals of one or several candidates: their fastest configurations and the kernel to beat are
/// measured side by side. The fastest one that is faster than the kernel to beat and passes every
/// check wins. If all measured configurations of a candidate fail, its next ones in rank follow,
/// until one passes or none is left. After `hopeless_after` failures of the same kind, the
/// configurations that differ most from them are checked first; if as many of these fail in the
/// same way, the candidate is given up. One result for each candidate. Error:
/// `lkt.evaluate.lost-kernel`, if the kernel to beat no longer works.
[[nodiscard]] result<std::vector<final_result>> hold_finals(
    evaluation& in, std::vector<searched_configurations> candidates, finals_scope const& scope);

} // namespace lkt
