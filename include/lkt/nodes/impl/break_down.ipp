// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/break_down.hpp>

#include <lkt/nodes/detail/ask_planner.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

struct breakdown_answer {
    bool break_down = false;
    std::vector<std::string> steps;

    using state_fields = fields<&breakdown_answer::break_down, &breakdown_answer::steps>;
    static constexpr auto notes =
        lkt::notes(note<&breakdown_answer::break_down>("whether smaller steps stand for it"),
                   note<&breakdown_answer::steps>("these; empty if it stays whole"));
};

result<breakdown> break_down(questioning const& q) {
    planning_record& p = q.planning;
    if (p.past.empty() || p.past.back().end != step_end::open) return breakdown(whole{});
    planned_step like = p.past.back().step;
    auto const room = static_cast<std::ptrdiff_t>(p.limits.plan_length) -
                      static_cast<std::ptrdiff_t>(p.open.size());
    if (like.level >= p.limits.max_breakdowns || room < 2) return breakdown(whole{});
    ++like.level;
    auto const check = [&](breakdown_answer const& a) {
        answer_faults faults;
        if (!a.break_down) return faults;
        auto const made = new_steps_of(a.steps, p, like);
        if (made.steps.size() < 2) {
            faults.push_back("break_down is true, but steps has fewer than two new ones");
            for (std::string const& one : made.known) faults.push_back(one);
        } else if (std::cmp_greater(made.steps.size(), room)) {
            faults.push_back("steps has " + std::to_string(made.steps.size()) + "; give at most " +
                             std::to_string(room));
        }
        return faults;
    };
    auto const answer = ask_planner<breakdown_answer>(q, planning_question::break_down, check);
    if (!answer) return answer.error();
    if (!*answer) return breakdown(unusable{});
    if (!(*answer)->break_down) return breakdown(whole{});
    auto made = new_steps_of((*answer)->steps, p, like);
    note_left_out(made, q.s.notes);
    p.open.insert(p.open.begin(),
                  std::make_move_iterator(made.steps.begin()),
                  std::make_move_iterator(made.steps.end()));
    p.past.back().end = step_end::broken_down;
    return breakdown(broken_down{});
}

} // namespace lkt::detail
