// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuner.hpp>

#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/confirm.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

model_origin live_origin(model_usage const& usage) {
    model_origin from;
    if (usage.calls == 0) return from;
    std::vector<std::string> names;
    for (used_model const& m : usage.models)
        if (!m.name.empty() && std::find(names.begin(), names.end(), m.name) == names.end())
            names.push_back(m.name);
    for (std::string const& name : names) from.name += (from.name.empty() ? "" : ", ") + name;
    from.origin = "live";
    return from;
}

result<bool> confirm_result(state_ref const& s, tools_ref const& tools, gpu_ref gpu, bool wanted) {
    if (!wanted) return false;
    auto const done = confirm(s, tools, gpu);
    if (done) return *done == confirmed::faster;
    if (done.error().kind == condition::cancelled) return done.error();
    s.notes.push_back("the result could not be confirmed at the end: " + to_string(done.error()));
    return false;
}

std::optional<error> open_parts(problem_draft const& draft) {
    if (draft.known.unwritten)
        return error{condition::rejected,
                     "lkt.tuner.open",
                     "there is no kernel " + draft.known.signature.name + " yet",
                     "give the tuner a model that writes the first one"};
    if (draft.complete()) return std::nullopt;
    std::string what = draft.known.size.empty() ? "the problem sizes" : "";
    for (std::size_t const k : draft.open)
        what += (what.empty() ? "" : ", ") + draft.known.signature.arguments[k].name;
    return error{condition::rejected,
                 "lkt.tuner.open",
                 "the problem does not give: " + what,
                 "add it to the problem, or give the tuner a model to ask"};
}

void known_tests::hand_over(problem const& asked,
                            evaluation_options const& options,
                            test_suite& to) {
    if (seed == options.seed && task == asked) to = std::move(tests);
}

error why_stopped(error const& met, std::stop_token const& stop) {
    if (met.kind != condition::cancelled || !stop.stop_requested()) return met;
    return {condition::cancelled, "lkt.cancelled", "the run was interrupted", {}};
}

void add_unfinished(state_ref const& s, tools_ref const& tools, trial_log const& trials) {
    auto const open = [](attempt_record const& a) {
        return std::holds_alternative<not_evaluated>(a.outcome) && a.configurations.empty();
    };
    // `propose` opened the record of its proposal; other nodes leave that to `evaluate`.
    bool const any = std::any_of(s.history.begin(), s.history.end(), open);
    attempt_record own;
    if (!any) own.proposal = s.proposal;
    std::vector<attempt_record*> records;
    if (!any) records.push_back(&own);
    for (attempt_record& a : s.history)
        if (open(a)) records.push_back(&a);
    for (attempt_record* a : records) {
        if (a->proposal.source.text.empty()) continue;
        a->configurations = trials.all(search_number(s, tools, a->proposal));
        if (a->configurations.empty()) continue;
        auto const& k = a->proposal;
        if (auto const all = search_space::make(k.parameters, k.restrictions, s.task.size))
            a->space = all->count();
        a->notes.push_back("the run ended after " + std::to_string(a->configurations.size()) +
                           (a->space > 0 ? " of " + std::to_string(a->space) : std::string()) +
                           " configurations; the fastest were not verified in full");
    }
    if (!own.configurations.empty()) s.history.push_back(std::move(own));
}

void keep_first(state_ref const& s, std::vector<attempt_record>& written) {
    written = std::exchange(s.history, {});
    s.attempts.clear();
}

/// What is wrong with the last of the kernels that were rejected; null if none was.
[[nodiscard]] inline failure const* last_failure(state_ref const& s) {
    failure const* why = nullptr;
    for (attempt_record const& a : s.history)
        if (auto const* f = std::get_if<failure>(&a.outcome)) why = f;
    return why;
}

error no_first_kernel(state_ref const& s) {
    failure const* const why = last_failure(s);
    std::string const replies = std::to_string(s.history.size());
    return {condition::rejected,
            "lkt.first_kernel.attempts",
            "the model wrote no correct kernel " + s.task.signature.name + " in " + replies +
                " replies" + (why ? "; the last one: " + describe(*why) : std::string()),
            "ask another model, or describe the operation in more detail (lkt.notes)"};
}

error ended_without_kernel(state_ref const& s, error met) {
    failure const* const why = s.task.unwritten ? last_failure(s) : nullptr;
    bool const goes_on = met.kind == condition::cancelled || met.kind == condition::suspended;
    if (!why || goes_on) return met;
    std::string said = describe(*why);
    if (!said.ends_with('.')) said += '.';
    met.message = "the last kernel " + s.task.signature.name +
                  " that the model wrote was rejected: " + said +
                  " Then the run ended: " + met.message;
    return met;
}

void take_over(tuning_outcome& out,
               state_ref const& s,
               journal const* from,
               std::string_view strategy,
               std::chrono::steady_clock::time_point start) {
    out.strategy = std::string(strategy);
    auto tested =
        s.tests.tests.empty() && from != nullptr ? tests_in(*from) : summary_of(s.tests, s.task);
    out.tests = std::move(tested.names);
    out.sizes = std::move(tested.sizes);
    out.tolerances = std::move(tested.tolerances);
    out.task = std::move(s.task);
    out.device = std::move(s.device);
    out.baseline = std::move(s.baseline);
    out.best = std::move(s.best);
    out.history = std::move(s.history);
    if (s.inquiries != nullptr) out.inquiries = std::move(*s.inquiries);
    out.usage = std::move(s.usage);
    out.notes = std::move(s.notes);
    if (!out.best.time.empty())
        if (auto missing = missing_instructions(
                roofline_of(out.task, out.device), out.device, out.best.time.median());
            !missing.empty())
            out.notes.push_back(std::move(missing));
    out.wall_time = std::chrono::steady_clock::now() - start;
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    out.started = std::chrono::floor<std::chrono::seconds>(now - out.wall_time).count();
}

} // namespace lkt::detail
