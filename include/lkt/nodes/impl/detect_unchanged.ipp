// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/detect_unchanged.hpp>

#include <lkt/lang/similarity.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/store/codec.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

namespace lkt {

bool same_program(candidate const& a, candidate const& b) {
    return a.source.language == b.source.language && a.launch == b.launch &&
           same_tokens(a.source.text, b.source.text);
}

bool same_candidate(candidate const& a, candidate const& b) {
    return a.parameters == b.parameters && a.restrictions == b.restrictions && same_program(a, b);
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

proposal_change detect_unchanged(state_ref const& s) {
    if (!same_candidate(s.proposal, s.best.kernel) || !was_tuned(s))
        return proposal_change::changed;
    no_improvement const none{comparison::undecided, s.best.time, s.best.time};
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome)) {
        s.history.emplace_back();
        s.history.back().proposal = s.proposal;
        s.history.back().step = s.step;
    }
    attempt_record& record = s.history.back();
    record.outcome = none;
    record.notes.push_back("the kernel is unchanged and was not measured again");
    s.attempts.push_back({record.reply, none, {}});
    return proposal_change::same;
}

std::uint64_t conditions_of(state_ref const& s, tools_ref const& tools) {
    constexpr std::size_t looked_at = 4096;
    digest d;
    d.add(encoded(s.task)).add(encoded(s.device)).add(encoded(tools.options));
    d.add(std::uint64_t{s.checked_mode}).add(encoded(s.tests.reference_configuration));
    for (std::size_t k = 0; k < tools.checks.size(); ++k) d.add(tools.checks.about(k).name);
    for (prepared_test const& one : s.tests.tests) {
        d.add(one.test.name).add(encoded(one.test.size));
        for (argument_data const& a : one.test.arguments)
            d.add(std::uint64_t{a.bytes.size()})
                .add({reinterpret_cast<char const*>(a.bytes.data()),
                      std::min(a.bytes.size(), looked_at)});
        for (tolerance const& bound : one.bounds) d.add(encoded(bound));
    }
    return d.value();
}

std::uint64_t search_number(state_ref const& s, tools_ref const& tools, candidate const& k) {
    evaluation_options const& o = tools.options;
    digest d;
    // The run's tests follow from its problem and seed. Limits and launches of the finals, which a
    // resumed run may change, do not matter here.
    d.add(encoded(s.task)).add(encoded(s.device)).add(encoded(k));
    d.add(encoded(o.warmups)).add(encoded(o.screening_launches)).add(encoded(o.verify));
    d.add(encoded(o.launch_limit)).add(encoded(o.seed)).add(encoded(o.static_checks));
    for (std::size_t n = 0; n < tools.checks.size(); ++n) d.add(tools.checks.about(n).name);
    return d.value();
}

bool has_verdict(attempt_record const& r, std::uint64_t conditions) {
    return r.conditions == conditions && !r.proposal.source.text.empty() &&
           !std::holds_alternative<not_evaluated>(r.outcome);
}

template <class Outcome>
bool is_lasting(Outcome const& outcome) {
    auto const* why = std::get_if<failure>(&outcome);
    return why == nullptr || !may_compile_later(*why);
}

std::optional<std::size_t> judged_before(std::span<attempt_record const> history,
                                         candidate const& k,
                                         std::uint64_t conditions) {
    for (std::size_t n = 0; n < history.size(); ++n)
        if (has_verdict(history[n], conditions) && is_lasting(history[n].outcome) &&
            same_candidate(history[n].proposal, k))
            return n;
    return std::nullopt;
}

std::uint64_t attempt_of(std::span<attempt_record const> history, candidate const& k) {
    for (std::size_t n = history.size(); n > 0; --n)
        if (history[n - 1].proposal.source == k.source) return n;
    return 0;
}

judged_configurations::judged_configurations(std::span<attempt_record const> history,
                                             candidate const& k,
                                             std::uint64_t conditions) {
    for (attempt_record const& r : history)
        if (has_verdict(r, conditions) && !r.configurations.empty() && same_program(r.proposal, k))
            records_.push_back(&r);
}

tried_configuration const* judged_configurations::find(configuration const& c) const {
    for (attempt_record const* r : records_)
        for (tried_configuration const& t : r->configurations)
            if (t.config == c && is_lasting(t.outcome)) return &t;
    return nullptr;
}

} // namespace detail
} // namespace lkt
