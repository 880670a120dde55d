// SPDX-License-Identifier: BSL-1.0
// From a plan to its steps, and from what came of them to an end. None of these asks anybody.
#pragma once

#include <lkt/nodes/ending.hpp>
#include <lkt/nodes/planning_state.hpp>

#include <cstddef>

namespace lkt {

enum class next {
    step, ///< the last of `planning.past` is the step at work
    none, ///< the plan has come to its end
};

namespace detail {
void begin_plan(planning_record& p, std::size_t attempts);
[[nodiscard]] next next_step(planning_record& p);
void assign_step(state_ref const& s, planning_record& p);
void finish_step(state_ref const& s, planning_record& p);
[[nodiscard]] ending summarize_plan(state_ref const& s, planning_record const& p);
} // namespace detail

/// Begins a run of a strategy that plans: no plan, no replans. Steps tried in earlier runs stay
/// known.
inline constexpr auto begin_plan = []<planning_fields S>(S& s) -> void {
    detail::begin_plan(s.planning, s.history.size());
};

/// Begins a question, without unusable answers.
inline constexpr auto begin_question = []<planning_fields S>(S& s) -> void {
    s.planning.question_from = s.planning.exchanges.size();
};

/// Takes the first step of the plan.
inline constexpr auto next_step = []<planning_fields S>(S& s) -> next {
    return detail::next_step(s.planning);
};

/// Makes the step at work what a model is asked for (`step`).
inline constexpr auto assign_step = []<planning_fields S>(S& s) -> void {
    detail::assign_step(detail::state_ref(s), s.planning);
};

/// Records the result of the current step from its attempts in the history; asks nothing.
inline constexpr auto finish_step = []<planning_fields S>(S& s) -> void {
    detail::finish_step(detail::state_ref(s), s.planning);
};

/// The result of this run of the strategy. If it produced no kernel, a note on the run says why.
inline constexpr auto summarize_plan = []<planning_fields S>(S& s) -> ending {
    return detail::summarize_plan(detail::state_ref(s), s.planning);
};

} // namespace lkt
