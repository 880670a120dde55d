// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/recognise.hpp>

#include <lkt/kernel/similarity.hpp>

#include <algorithm>
#include <variant>

namespace lkt {

bool same_candidate(candidate const& a, candidate const& b) {
    return a.source.language == b.source.language && a.parameters == b.parameters &&
           a.restrictions == b.restrictions && a.launch == b.launch &&
           same_tokens(a.source.text, b.source.text);
}

namespace detail {

/// The best kernel has no configuration that nobody has tried.
bool was_tuned(state_ref const& s) {
    auto const& parameters = s.best.kernel.parameters;
    bool const one = std::all_of(parameters.begin(),
                                 parameters.end(),
                                 [](tunable_parameter const& p) { return p.values.size() < 2; });
    return one || std::any_of(s.history.begin(), s.history.end(), [&](attempt_record const& a) {
               return !a.configurations.empty() && same_candidate(a.proposal, s.best.kernel);
           });
}

recognised recognise(state_ref const& s) {
    if (!same_candidate(s.proposal, s.best.kernel) || !was_tuned(s)) return recognised::changed;
    no_improvement const none{comparison::undecided, s.best.time, s.best.time};
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome)) {
        s.history.emplace_back();
        s.history.back().proposal = s.proposal;
        s.history.back().step = s.step;
    }
    attempt_record& record = s.history.back();
    record.outcome = none;
    record.notes.push_back("this is the kernel as it was; it was not measured again");
    s.attempts.push_back({record.reply, none, {}});
    return recognised::same;
}

} // namespace detail
} // namespace lkt
