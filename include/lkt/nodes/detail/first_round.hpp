// SPDX-License-Identifier: BSL-1.0
// An evaluation up to the finals: what can be read, and which of its configurations work.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/evaluation_result.hpp>
#include <lkt/nodes/detail/try_configurations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Why no proposal can be judged yet.
[[nodiscard]] inline std::optional<error> nothing_to_judge_by(state_ref const& s) {
    if (!s.tests.tests.empty() && !s.best.time.empty()) return std::nullopt;
    return error{condition::rejected,
                 "lkt.nodes.no-baseline",
                 "there is nothing to judge a proposal by: tests and the baseline's time "
                 "come first",
                 "run make_tests, run_reference and time_baseline before the strategy"};
}

/// The failure that stands for the whole proposal: of the kind that came most often, the first.
[[nodiscard]] inline evaluation_result all_failed(trials all) {
    evaluation_result j;
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

/// What is left of a candidate for the finals, or the result of one of which nothing is left.
using first_result = std::variant<trials, evaluation_result>;

/// `known`: what became of its configurations in earlier proposals. `declared` gets the signature
/// as the candidate's text has it; what is left points at it, and at the candidate.
[[nodiscard]] inline result<first_result> first_round(state_ref const& s,
                                                      tools_ref const& tools,
                                                      evaluation& e,
                                                      search_ref policy,
                                                      candidate const& k,
                                                      judged_configurations const& known,
                                                      lkt::signature& declared) {
    evaluation_result j;
    auto const over = [&](failure why) {
        j.outcome = std::move(why);
        return first_result(std::move(j));
    };
    check_call call{.when = moment::proposal, .in = e, .kernel = k};
    auto wrong = e.pass(call);
    if (!wrong) return wrong.error();
    j.notes = std::move(call.notes);
    if (*wrong) return over(std::move(**wrong));
    auto found = find_kernel(k.source, s.task.signature.name);
    if (!found) return found.error();
    declared = std::move(*found);
    auto const space = make_space(k, s.task.size, tools.options);
    if (auto const* why = std::get_if<failure>(&space)) return over(*why);
    auto all =
        try_configurations(s, tools, e, policy, k, known, declared, std::get<search_space>(space));
    if (!all) return all.error();
    all->notes.insert(all->notes.begin(), j.notes.begin(), j.notes.end());
    if (all->correct.empty()) return first_result(all_failed(std::move(*all)));
    return first_result(std::move(*all));
}

} // namespace lkt::detail
