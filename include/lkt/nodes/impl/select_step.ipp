// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/select_step.hpp>

#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/summarize_step.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

optimization_step const* step_ledger::find(std::string_view id) const {
    auto const at = std::find_if(
        steps.begin(), steps.end(), [&](optimization_step const& s) { return s.id == id; });
    return at == steps.end() ? nullptr : &*at;
}

step_record const* step_ledger::record_of(std::string_view id) const {
    auto const at = std::find_if(
        records.begin(), records.end(), [&](step_record const& r) { return r.id == id; });
    return at == records.end() ? nullptr : &*at;
}

namespace detail {

result<void> begin_steps(state_ref const& s, step_ledger& l) {
    if (auto ok = check_steps(l.steps); !ok) return ok.error();
    l.records.clear();
    l.current = {};
    l.gate_attempts.clear();
    s.step.clear();
    s.attempts.clear();
    return {};
}

void open_step(state_ref const& s, step_ledger& l, std::string const& id) {
    l.current = {};
    l.current.id = id;
    l.current.first_record = s.history.size();
}

void end_step(state_ref const& s, step_ledger& l, step_outcome outcome, std::string why) {
    l.current.outcome = outcome;
    l.current.why = std::move(why);
    l.current.records = s.history.size() - l.current.first_record;
    std::string note =
        "step " + l.current.id.substr(0, 60) + ": " + std::string(to_string(outcome));
    if (!l.current.why.empty()) note += ", " + shortened(l.current.why, 300);
    std::replace(note.begin(), note.end(), '\n', ' ');
    s.notes.push_back(std::move(note));
    l.records.push_back(std::exchange(l.current, {}));
    l.gate_attempts.clear();
    s.step.clear();
}

bool meets(dependency_rule rule, step_outcome outcome) {
    switch (outcome) {
    case step_outcome::improved:
    case step_outcome::present:
        return true;
    case step_outcome::no_gain:
        return rule != dependency_rule::improved;
    case step_outcome::failed:
        return rule == dependency_rule::attempted;
    case step_outcome::declined:
    case step_outcome::unmet:
    case step_outcome::foreign:
        return false;
    }
    return false;
}

/// What stands between a step and its turn.
struct step_obstacle {
    bool waits = false; ///< for a step that is not over
    std::string unmet;  ///< why it has no turn
};

step_obstacle
obstacle_of(optimization_step const& step, step_ledger const& l, dependency_rule rule) {
    step_obstacle o;
    for (std::string const& id : step.depends_on) {
        auto const* record = l.record_of(id);
        if (record == nullptr)
            o.waits = true;
        else if (o.unmet.empty() && !meets(rule, record->outcome))
            o.unmet = "it depends on " + id + " (" + std::string(to_string(record->outcome)) + ")";
    }
    return o;
}

bool has_parameters_of(optimization_step const& step, candidate const& kernel) {
    auto const has = [&](step_parameter const& p) {
        return std::any_of(kernel.parameters.begin(),
                           kernel.parameters.end(),
                           [&](tunable_parameter const& k) { return k.name == p.name; });
    };
    return !step.tune_params.empty() &&
           std::all_of(step.tune_params.begin(), step.tune_params.end(), has);
}

/// The steps that this one builds on and the kernel does not contain.
std::vector<std::string> lacking_steps(optimization_step const& step, step_ledger const& l) {
    std::vector<std::string> lacking;
    for (std::string const& id : step.depends_on)
        if (auto const* record = l.record_of(id); record->outcome == step_outcome::no_gain)
            lacking.push_back(id + " (alone it was correct but not faster)");
        else if (record->outcome == step_outcome::failed)
            lacking.push_back(id + " (it led to no correct kernel)");
    return lacking;
}

selection select_step(state_ref const& s, step_ledger& l, dependency_rule rule) {
    auto const leave_out = [&](std::string const& id, step_outcome outcome, std::string why) {
        open_step(s, l, id);
        end_step(s, l, outcome, std::move(why));
        return true;
    };
    s.attempts.clear(); // what is asked next has a past, and no attempts
    // What is left out may make an earlier step of the list one that is ready.
    for (bool again = true; again;) {
        again = false;
        for (optimization_step const& step : l.steps) {
            if (l.record_of(step.id) != nullptr) continue;
            auto const language = s.task.reference.language;
            if (!step.languages.empty() && occurrences(step.languages, language) == 0) {
                again = leave_out(step.id, step_outcome::foreign, {});
                continue;
            }
            auto const obstacle = obstacle_of(step, l, rule);
            if (!obstacle.unmet.empty()) {
                again = leave_out(step.id, step_outcome::unmet, obstacle.unmet);
                continue;
            }
            if (obstacle.waits) continue;
            if (has_parameters_of(step, s.best.kernel)) {
                again = leave_out(
                    step.id, step_outcome::present, "the kernel has its parameters already");
                continue;
            }
            open_step(s, l, step.id);
            l.gate_attempts.clear();
            s.step = step_request(step, lacking_steps(step, l));
            return step.skip_evaluation ? selection::ungated : selection::gated;
        }
    }
    return selection::none;
}

void record_step(state_ref const& s, step_ledger& l) {
    if (s.history.size() > l.current.first_record) {
        attempt_outcome const& last = s.history.back().outcome;
        if (auto const* better = std::get_if<improvement>(&last))
            return end_step(s,
                            l,
                            step_outcome::improved,
                            to_string(better->before.median()) + " became " +
                                to_string(better->after.median()));
    }
    bool const correct = summarize_step(s.attempts) == step_summary::correct;
    std::string why;
    for (rejected_attempt const& a : s.attempts)
        if (auto const* same = std::get_if<no_improvement>(&a.why))
            why = to_string(same->got.median()) + " against " + to_string(same->best.median());
        else if (!correct)
            why = describe(std::get<failure>(a.why));
    end_step(s, l, correct ? step_outcome::no_gain : step_outcome::failed, std::move(why));
}

ending summarize_step_list(state_ref const& s, step_ledger const& l) {
    s.attempts.clear();
    auto const came = [](step_record const& r) {
        if (r.outcome == step_outcome::improved) return ending::improved;
        return r.outcome == step_outcome::no_gain ? ending::correct : ending::nothing;
    };
    bool const failed = std::any_of(l.records.begin(), l.records.end(), [](step_record const& r) {
        return r.outcome == step_outcome::failed;
    });
    // Where no step was tried, none failed either.
    return std::min(best_ending(l.records, came), failed ? ending::nothing : ending::correct);
}

} // namespace detail
} // namespace lkt
