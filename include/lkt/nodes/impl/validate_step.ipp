// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/validate_step.hpp>

#include <lkt/nodes/detail/ask_planner.hpp>

#include <string>

namespace lkt::detail {

struct validity_answer {
    std::string reason;
    bool valid = false;

    using state_fields = fields<&validity_answer::reason, &validity_answer::valid>;
    static constexpr auto notes =
        lkt::notes(note<&validity_answer::reason>("one sentence"),
                   note<&validity_answer::valid>("whether it is a step for this kernel"));
};

result<validity> validate_step(questioning const& q) {
    auto& past = q.planning.past;
    if (past.empty() || past.back().end != step_end::open) return validity(invalid{});
    auto const answer = ask_planner<validity_answer>(
        q, planning_question::validate, [](validity_answer const&) { return answer_faults(); });
    if (!answer) return answer.error();
    if (!*answer) return validity(unusable{});
    if ((*answer)->valid) {
        past.back().validated = true;
        return validity(valid{});
    }
    past.back().end = step_end::invalid;
    past.back().why = step_line((*answer)->reason);
    return validity(invalid{});
}

} // namespace lkt::detail
