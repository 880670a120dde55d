// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/evaluate.hpp>

#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/detail/bench.hpp>
#include <lkt/nodes/detail/finals.hpp>
#include <lkt/nodes/detail/judgement.hpp>
#include <lkt/nodes/detail/refused_text.hpp>
#include <lkt/nodes/detail/try_configurations.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// The failure that stands for the whole proposal: of the kind that came most often, the first.
[[nodiscard]] inline judgement all_failed(trials all) {
    judgement j;
    if (all.tried.empty()) {
        j.outcome = failure(no_configuration{"the search policy offered none"});
        return j;
    }
    std::array<std::size_t, std::variant_size_v<failure>> count{};
    for (tried_configuration const& t : all.tried) ++count[std::get<failure>(t.outcome).index()];
    auto const kind =
        static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
    for (tried_configuration const& t : all.tried) {
        auto const& why = std::get<failure>(t.outcome);
        if (why.index() != kind) continue;
        j.outcome = why;
        j.context = in_configuration(t.config);
        break;
    }
    if (all.tried.size() > 1)
        j.context += " None of the " + std::to_string(all.tried.size()) +
                     " configurations that were tried works; " + std::to_string(count[kind]) +
                     " of them fail like this.";
    j.configurations = std::move(all.tried);
    j.notes = std::move(all.notes);
    return j;
}

[[nodiscard]] inline result<judgement>
judge_readable(state_ref const& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    judgement j;
    candidate const& k = s.proposal;
    if (auto differs = check_signature(s.task.signature, k.source)) {
        j.outcome = failure(std::move(*differs));
        return j;
    }
    auto const declared = find_kernel(k.source, s.task.signature.name);
    if (!declared) return declared.error();
    auto const space = make_space(k, s.task.size, tools.options);
    if (auto const* why = std::get_if<failure>(&space)) {
        j.outcome = *why;
        return j;
    }
    bench b(gpu, tools, s);
    auto all = try_configurations(s, tools, b, policy, k, *declared, std::get<search_space>(space));
    if (!all) return all.error();
    if (all->correct.empty()) return all_failed(std::move(*all));
    return hold_finals(s, tools, b, std::move(*all));
}

[[nodiscard]] inline result<judgement>
judge(state_ref const& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    std::vector<std::string> notes;
    std::optional<failure> why;
    // Another signature is said first: it is the more fundamental defect.
    if (!check_signature(s.task.signature, s.proposal.source))
        why = refused_text(s.proposal, s.task, tools.options.static_checks, notes);
    result<judgement> j =
        why ? judgement{std::move(*why), {}, {}, {}, {}} : judge_readable(s, tools, gpu, policy);
    if (j) j->notes.insert(j->notes.begin(), notes.begin(), notes.end());
    return j;
}

/// Writes a judgement to the state, and says how it ended.
inline evaluated write_down(state_ref const& s, judgement j, seconds spent) {
    // `propose` opened the record of this proposal; a node of the user's may not have.
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome)) {
        s.history.emplace_back();
        s.history.back().proposal = s.proposal;
        s.history.back().step = s.step;
    }
    attempt_record& record = s.history.back();
    record.configurations = std::move(j.configurations);
    record.context = std::move(j.context);
    for (std::string& note : j.notes) record.notes.push_back(std::move(note));
    record.testing = spent;
    record.outcome = std::move(j.outcome);
    if (j.winner) {
        s.best = std::move(*j.winner);
        return evaluated::faster;
    }
    if (auto const* slower = std::get_if<no_improvement>(&record.outcome)) {
        s.attempts.push_back({record.reply, *slower, record.context});
        return evaluated::slower;
    }
    s.attempts.push_back({record.reply, std::get<failure>(record.outcome), record.context});
    return evaluated::failed;
}

result<evaluated>
evaluate(state_ref const& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    if (auto end = tools.must_end(s.usage)) return *end;
    if (s.tests.tests.empty() || s.best.time.empty())
        return error{condition::rejected,
                     "lkt.nodes.no-baseline",
                     "there is nothing to judge a proposal by: tests and the baseline's time "
                     "come first",
                     "run make_tests, run_reference and time_baseline before the strategy"};
    auto const start = std::chrono::steady_clock::now();
    auto j = judge(s, tools, gpu, policy);
    if (!j) return j.error();
    return write_down(s, std::move(*j), std::chrono::steady_clock::now() - start);
}

} // namespace lkt::detail
