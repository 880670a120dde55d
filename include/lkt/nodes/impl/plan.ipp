// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/plan.hpp>

#include <lkt/nodes/detail/ask_planner.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

struct plan_answer {
    std::vector<std::string> steps;

    using state_fields = fields<&plan_answer::steps>;
    static constexpr auto notes =
        lkt::notes(note<&plan_answer::steps>("one text a step, the most promising first"));
};

struct replan_answer {
    bool replan = false;
    std::vector<std::string> steps;

    using state_fields = fields<&replan_answer::replan, &replan_answer::steps>;
    static constexpr auto notes =
        lkt::notes(note<&replan_answer::replan>("whether further steps would help"),
                   note<&replan_answer::steps>("the new ones; empty if none would"));
};

/// Makes `made` the plan.
plan_outcome take_plan(questioning const& q, new_steps made) {
    note_left_out(made, q.s.notes);
    auto const most = static_cast<std::size_t>(std::max(0, q.planning.limits.plan_length));
    if (made.steps.size() > most) {
        q.s.notes.push_back("a plan had " + std::to_string(made.steps.size()) +
                            " steps; the first " + std::to_string(most) + " were taken");
        made.steps.resize(most);
    }
    q.planning.open = std::move(made.steps);
    if (q.planning.open.empty()) return nothing_to_do{};
    return planned{};
}

result<plan_outcome> make_plan(questioning const& q) {
    auto const answer =
        ask_planner<plan_answer>(q, planning_question::plan, [&](plan_answer const& a) {
            return nothing_new(new_steps_of(a.steps, q.planning, {}));
        });
    if (!answer) return answer.error();
    if (!*answer) return plan_outcome(unusable{});
    return take_plan(q, new_steps_of((*answer)->steps, q.planning, {}));
}

result<plan_outcome> make_another_plan(questioning const& q) {
    planned_step const like{{}, 0, q.planning.replans + 1};
    auto const answer =
        ask_planner<replan_answer>(q, planning_question::replan, [&](replan_answer const& a) {
            if (!a.replan) return answer_faults();
            return nothing_new(new_steps_of(a.steps, q.planning, like));
        });
    if (!answer) return answer.error();
    if (!*answer) return plan_outcome(unusable{});
    if (!(*answer)->replan) return plan_outcome(nothing_to_do{});
    auto const outcome = take_plan(q, new_steps_of((*answer)->steps, q.planning, like));
    if (std::holds_alternative<planned>(outcome)) ++q.planning.replans;
    return outcome;
}

} // namespace lkt::detail
