// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string_view>

namespace lkt {

/// What can be wrong with a graph, the most fundamental first: of several, the first is reported.
enum class defect : unsigned char {
    none,
    stateful_node,
    duplicate_node,
    wrong_state,
    state_by_value,
    outcome_with_data,
    duplicate_limit,
    foreign_outcome,
    unknown_target,
    duplicate_edge,
    missing_edge,
    unreachable_node,
    no_way_out,
    unbounded_loop,
};

/// The stable code that the compiler's message carries, described in docs/diagnostics.md.
[[nodiscard]] constexpr std::string_view code_of(defect d) {
    switch (d) {
    case defect::none:
        return "";
    case defect::stateful_node:
        return "lkt.graph.stateful-node";
    case defect::duplicate_node:
        return "lkt.graph.duplicate-node";
    case defect::wrong_state:
        return "lkt.graph.wrong-state";
    case defect::state_by_value:
        return "lkt.graph.state-by-value";
    case defect::outcome_with_data:
        return "lkt.graph.outcome-with-data";
    case defect::duplicate_limit:
        return "lkt.graph.duplicate-limit";
    case defect::foreign_outcome:
        return "lkt.graph.foreign-outcome";
    case defect::unknown_target:
        return "lkt.graph.unknown-target";
    case defect::duplicate_edge:
        return "lkt.graph.duplicate-edge";
    case defect::missing_edge:
        return "lkt.graph.missing-edge";
    case defect::unreachable_node:
        return "lkt.graph.unreachable-node";
    case defect::no_way_out:
        return "lkt.graph.no-way-out";
    case defect::unbounded_loop:
        return "lkt.graph.unbounded-loop";
    }
    return "";
}

/// The verdict on a graph as a value: the first defect and where it is.
struct report {
    defect kind = defect::none;
    int node = -1;    ///< index among the graph's nodes, those that `when` dropped not counted
    int clause = -1;  ///< index among the node's clauses, if the defect is in one
    int outcome = -1; ///< index of the outcome that has no edge

    [[nodiscard]] constexpr explicit operator bool() const { return kind == defect::none; }
    friend bool operator==(report const&, report const&) = default;
};

} // namespace lkt
