// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/static_checks.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt::detail {

/// The first error that the static checks find, as the failure of the proposal; their warnings are
/// notes. Memory that can hold outputs says more than the counter that stands before it.
[[nodiscard]] inline std::optional<failure> refused_text(candidate const& proposal,
                                                         problem const& task,
                                                         static_policy const& policy,
                                                         std::vector<std::string>& notes) {
    auto found = static_findings(proposal, task, policy);
    // Whoever reads a text, this one is the model's: that it cannot be read is its failure.
    if (!found) return failure(refused{found.error().code, found.error().message, {}});
    static_finding const* why = nullptr;
    for (static_finding const& f : *found)
        if (f.severity == static_severity::warning)
            notes.push_back(describe(f));
        else if (why == nullptr ||
                 (f.rule == static_rule::replay && why->rule != static_rule::replay))
            why = &f;
    if (why == nullptr) return std::nullopt;
    return failure(refused{why->what,
                           why->why + " (" + std::string(code_of(why->rule)) + ")",
                           why->where,
                           verdict_of(why->rule)});
}

} // namespace lkt::detail
