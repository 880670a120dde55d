// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuner.hpp>

#include <lkt/nodes/confirm.hpp>

#include <algorithm>
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

void take_over(tuning_outcome& out,
               state_ref const& s,
               std::string_view strategy,
               std::chrono::steady_clock::time_point start) {
    out.strategy = std::string(strategy);
    for (prepared_test const& t : s.tests.tests) out.tests.push_back(t.test.name);
    out.task = std::move(s.task);
    out.device = std::move(s.device);
    out.baseline = std::move(s.baseline);
    out.best = std::move(s.best);
    out.history = std::move(s.history);
    out.usage = std::move(s.usage);
    out.notes = std::move(s.notes);
    out.wall_time = std::chrono::steady_clock::now() - start;
}

} // namespace lkt::detail
