// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/recognise.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

namespace lkt {

bool same_candidate(candidate const& a, candidate const& b) {
    // A reply's code block may lack the line end that the file had.
    auto const text = [](candidate const& c) {
        std::string_view const all = c.source.text;
        return all.substr(0, all.find_last_not_of(" \t\r\n") + 1);
    };
    return a.source.language == b.source.language && text(a) == text(b) &&
           a.parameters == b.parameters && a.restrictions == b.restrictions && a.launch == b.launch;
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
