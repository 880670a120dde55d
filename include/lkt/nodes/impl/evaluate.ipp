// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/evaluate.hpp>

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/nodes/detail/evaluation_result.hpp>
#include <lkt/nodes/detail/profiling.hpp>
#include <lkt/nodes/detail/rounds.hpp>
#include <lkt/nodes/detect_unchanged.hpp>

#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

[[nodiscard]] inline result<evaluation_result> judge(state_ref const& s,
                                                     tools_ref const& tools,
                                                     gpu_ref gpu,
                                                     search_ref policy,
                                                     std::uint64_t conditions) {
    evaluation e(setup_of(s, tools, gpu));
    lkt::signature declared;
    judged_configurations const known(s.history, s.proposal, conditions);
    auto first = first_round(s, tools, e, policy, s.proposal, known, declared);
    if (!first) return first.error();
    if (auto* const over = std::get_if<evaluation_result>(&*first)) return std::move(*over);
    std::vector<searched_configurations> only;
    only.push_back(std::get<searched_configurations>(std::move(*first)));
    auto judged = finals_of(s, tools, e, std::move(only));
    if (!judged) return judged.error();
    return std::move(judged->front());
}

/// Writes the result to the state, and says how it ended.
inline evaluated
write_down(state_ref const& s, evaluation_result j, seconds spent, std::uint64_t conditions) {
    // `propose` opened the record of this proposal; a node of the user's may not have.
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome)) {
        s.history.emplace_back();
        s.history.back().proposal = s.proposal;
        s.history.back().step = s.step;
    }
    attempt_record& record = s.history.back();
    if (j.winner) s.best = *std::move(j.winner);
    close_record(record, std::move(j), spent, conditions);
    if (auto again = rejected_attempt_of(record)) s.attempts.push_back(*std::move(again));
    return ended_as(record);
}

result<evaluated>
evaluate(state_ref const& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    if (auto end = tools.must_end()) return *end;
    if (auto ok = tools.before_launches(s); !ok) return ok.error();
    if (auto fault = nothing_to_judge_by(s)) return *fault;
    auto const start = std::chrono::steady_clock::now();
    auto const conditions = conditions_of(s, tools);
    auto const before = judged_before(s.history, s.proposal, conditions);
    auto j = before ? result<evaluation_result>(earlier_result(s.history, *before))
                    : judge(s, tools, gpu, policy, conditions);
    if (!j) return j.error();
    auto const end =
        write_down(s, std::move(*j), std::chrono::steady_clock::now() - start, conditions);
    if (tools.trials != nullptr) tools.trials->clear();
    if (end == evaluated::faster) profile_best(s, tools, gpu);
    return end;
}

} // namespace lkt::detail
