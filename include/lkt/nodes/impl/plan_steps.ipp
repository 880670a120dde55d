// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/plan_steps.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detect_unchanged.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail {

void begin_plan(planning_record& p, std::size_t attempts) {
    p.open.clear();
    p.replans = 0;
    p.question_from = p.exchanges.size();
    p.history_from = attempts;
}

next next_step(planning_record& p) {
    if (p.open.empty()) return next::none;
    past_step taken;
    taken.step = std::move(p.open.front());
    taken.number = static_cast<int>(p.past.size()) + 1;
    p.open.erase(p.open.begin());
    p.past.push_back(std::move(taken));
    return next::step;
}

void assign_step(state_ref const& s, planning_record& p) {
    if (p.past.empty()) return;
    s.step = step_words(p.past.back());
    p.past.back().first_record = s.history.size();
}

void finish_step(state_ref const& s, planning_record& p) {
    s.step.clear();
    if (p.past.empty()) return;
    past_step& step = p.past.back();
    auto const from = std::min(step.first_record, s.history.size());
    std::span<attempt_record const> const records = std::span(s.history).subspan(from);
    step.records = records.size();
    step.end = step_end::failed;
    for (attempt_record const& a : records) {
        if (std::holds_alternative<improvement>(a.outcome)) {
            step.end = step_end::applied;
            break;
        }
        if (std::holds_alternative<no_improvement>(a.outcome))
            step.end = same_candidate(a.proposal, s.best.kernel) ? step_end::not_applicable
                                                                 : step_end::no_gain;
        else if (auto const* why = std::get_if<failure>(&a.outcome))
            step.why = shortened(describe(*why), 2000);
    }
    if (step.end != step_end::failed) step.why.clear();
}

/// Why a run of planning brought no kernel.
std::string why_nothing(planning_record const& p) {
    if (p.history_from == 0 && p.exchanges.empty()) return "the model was not asked for a plan";
    auto const& last = p.exchanges.back();
    if (!last.faults.empty())
        return "the last answer to the question \"" + std::string(to_string(last.what)) +
               "\" could not be used: " + shortened(last.faults.front(), 300);
    if (p.past.empty()) return "the model planned no steps";
    return "no step led to a correct kernel";
}

ending summarize_plan(state_ref const& s, planning_record const& p) {
    auto const from = std::min(p.history_from, s.history.size());
    std::span<attempt_record const> const records = std::span(s.history).subspan(from);
    if (!p.open.empty())
        s.notes.push_back(std::to_string(p.open.size()) +
                          (p.open.size() == 1 ? " planned step was" : " planned steps were") +
                          " not taken: a run of the strategy takes " +
                          std::to_string(p.limits.max_steps));
    ending const end = best_ending(records);
    if (end == ending::nothing) s.notes.push_back("the kernel stays unchanged: " + why_nothing(p));
    return end;
}

} // namespace lkt::detail
