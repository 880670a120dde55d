// SPDX-License-Identifier: BSL-1.0
// The two rounds of an evaluation, as nodes hold them: with their state, tools and progress.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/finals.hpp>
#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/evaluate/trial_log.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/evaluation_result.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/search/search_ref.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Why no proposal can be judged yet.
[[nodiscard]] inline std::optional<error> nothing_to_judge_by(state_ref const& s) {
    if (!s.tests.tests.empty() && !s.best.time.empty()) return std::nullopt;
    return error{condition::rejected,
                 "lkt.nodes.no-baseline",
                 "a proposal cannot be judged before the tests and the baseline's time exist",
                 "run make_tests, run_reference and time_baseline before the strategy"};
}

/// The failure that stands for the whole proposal: the one with a cause, else the first of the kind
/// that came most often.
[[nodiscard]] inline evaluation_result all_failed(searched_configurations all) {
    evaluation_result j;
    if (all.tried.empty()) {
        j.outcome = failure(no_configuration{"the search policy offered no configuration"});
        return j;
    }
    std::array<std::size_t, std::variant_size_v<failure>> count{};
    for (tried_configuration const& t : all.tried) ++count[t.failed()->index()];
    auto const kind =
        static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
    auto const first = all.with_cause
                           ? all.tried.begin() + static_cast<std::ptrdiff_t>(*all.with_cause)
                           : std::find_if(all.tried.begin(), all.tried.end(), [&](auto const& t) {
                                 return t.failed()->index() == kind;
                             });
    j.outcome = *first->failed();
    j.context = in_configuration(first->config);
    if (all.tried.size() > 1)
        j.context += " None of the " + std::to_string(all.tried.size()) +
                     " configurations that were tried works; " +
                     (all.with_cause ? "the cause was looked for in this one."
                                     : std::to_string(count[kind]) + " of them fail like this.");
    j.configurations = std::move(all.tried);
    j.space = all.space;
    j.notes = std::move(all.notes);
    return j;
}

/// What is left of a candidate for the finals, or the result of one of which nothing is left.
using first_result = std::variant<searched_configurations, evaluation_result>;

/// What can be read, and which of its configurations work. `known`: what became of these in earlier
/// proposals. `declared` gets the signature as the candidate's text has it; what is left points at
/// it, and at the candidate.
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
    auto const made = space_of(k, s.task.size, tools.options, policy);
    if (auto const* why = std::get_if<failure>(&made)) return over(*why);
    auto const& space = std::get<search_space>(made);
    for (std::string const& text : space.useless_restrictions())
        j.notes.push_back("the restriction " + ticked(text) + " excludes nothing");
    auto const total = static_cast<std::size_t>(policy.most_of(space.count()));
    search_scope scope{.policy = std::move(policy),
                       .known = [&](configuration const& c) { return known.find(c); },
                       .must_end = [&] { return tools.leaves_out(); },
                       .on_progress =
                           [&](std::size_t done, std::size_t reused, std::string_view last) {
                               tools.report_progress(
                                   s, activity::trying_configurations, done, total, last, reused);
                           }};
    if (tools.trials != nullptr) {
        auto const search = search_number(s, tools, k);
        scope.resumed = [&tools, search](auto const& c) { return tools.trials->find(search, c); };
        scope.keep = [&tools, search](auto const& t) { return tools.trials->keep(search, t); };
    }
    auto all = search_configurations(e, k, declared, space, std::move(scope));
    if (!all) return all.error();
    all->notes.insert(all->notes.begin(), j.notes.begin(), j.notes.end());
    if (all->correct.empty()) return first_result(all_failed(std::move(*all)));
    return first_result(std::move(*all));
}

/// The finals of what is left; a result for each candidate. `known`, `min_verified`: as
/// `finals_scope` has them. The state's best kernel gets the time that it took in them, and the
/// original, if that is the best.
[[nodiscard]] inline result<std::vector<evaluation_result>>
finals_of(state_ref const& s,
          tools_ref const& tools,
          evaluation& e,
          std::vector<searched_configurations> left,
          std::span<tuned_kernel> known = {},
          std::size_t min_verified = 0) {
    auto found =
        hold_finals(e,
                    std::move(left),
                    {.best = s.best,
                     .known = known,
                     .min_verified = min_verified,
                     .must_end = [&] { return tools.leaves_out(); },
                     .on_progress =
                         [&](int done, int rounds) {
                             tools.report_progress(s,
                                                   activity::measuring_finalists,
                                                   static_cast<std::size_t>(done),
                                                   static_cast<std::size_t>(rounds));
                         },
                     .on_check =
                         [&](std::string_view check) {
                             tools.report_progress(s, activity::checking_finalist, 0, 0, check);
                         }});
    if (!found) return found.error();
    if (s.kept_original()) s.baseline.time = s.best.time;
    std::vector<evaluation_result> all;
    for (final_result& one : *found) all.push_back(result_of(std::move(one), s));
    return all;
}

} // namespace lkt::detail
