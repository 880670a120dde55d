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
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// What finals are given; functions may be empty.
struct finals_scope {
    tuned_kernel const& best; ///< the kernel to beat
    /// Kernels that are measured with the others, whatever their times. Afterwards each has the
    /// time that was measured, or none where it does not work any more.
    std::span<tuned_kernel> known = {};
    /// How many candidates go through every check even though they are not faster.
    std::size_t min_verified = 0;
    /// Why no further configurations are to be measured.
    std::function<std::optional<error>()> must_end{};
    /// Rounds of measurements that were made, and of all; 0 and 0 at the beginning.
    std::function<void(int, int)> on_progress{};
};

/// What became of a candidate in the finals.
struct final_result {
    std::variant<failure, improvement, no_improvement> outcome;
    std::vector<tried_configuration> configurations;
    std::optional<configuration> seen_in; ///< the configuration whose outcome it is
    std::vector<std::string> notes;
    std::vector<std::string> build_notes; ///< of the back end, on that configuration
    std::optional<tuned_kernel> winner;   ///< of an improvement
    std::optional<tuned_kernel> correct;  ///< passed every check, whether it is faster or not
};

/// The finals of one or several candidates: their fastest configurations and the kernel to beat are
/// measured side by side. The fastest that is faster than that one and passes every check wins.
/// Where all that were measured of a candidate fail, its next ones in rank follow, until one passes
/// or none is left. After `hopeless_after` that failed alike, the ones most unlike them are checked
/// first: where as many of these fail alike too, the candidate is given up. One result for each
/// candidate. Error: `lkt.evaluate.lost-kernel`, where the kernel to beat does not work any more.
[[nodiscard]] result<std::vector<final_result>> hold_finals(
    evaluation& in, std::vector<searched_configurations> candidates, finals_scope const& scope);

} // namespace lkt
