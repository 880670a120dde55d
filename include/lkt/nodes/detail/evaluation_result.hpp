// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/finals.hpp>
#include <lkt/nodes/detail/original.hpp>
#include <lkt/nodes/ending.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// What an evaluation found out, before any of it is written to the state.
struct evaluation_result {
    attempt_outcome outcome;
    std::vector<tried_configuration> configurations;
    std::uint64_t space = 0; ///< how many the candidate has
    std::string context;
    std::vector<std::string> notes;
    std::optional<tuned_kernel> winner;  ///< of an improvement
    std::optional<tuned_kernel> correct; ///< passed every check, whether it is faster or not
};

[[nodiscard]] inline std::string in_configuration(configuration const& c) {
    return c.values.empty() ? std::string() : "Configuration: " + configuration_words(c) + ".";
}

/// What the finals made of a candidate.
[[nodiscard]] inline evaluation_result result_of(final_result found, state_ref const& s) {
    evaluation_result j;
    std::visit([&](auto& outcome) { j.outcome = std::move(outcome); }, found.outcome);
    j.configurations = std::move(found.configurations);
    j.space = found.space;
    if (found.seen_in) j.context = in_configuration(*found.seen_in);
    j.notes = std::move(found.notes);
    for (std::string& note : own_notes(found.build_notes, s)) j.notes.push_back(std::move(note));
    j.winner = std::move(found.winner);
    j.correct = std::move(found.correct);
    return j;
}

/// What a kernel is that was already judged: it never beats itself.
[[nodiscard]] inline evaluation_result earlier_result(std::span<attempt_record const> history,
                                                      std::size_t before) {
    attempt_record const& of = history[before];
    evaluation_result j;
    j.outcome = of.outcome;
    if (auto const* won = std::get_if<improvement>(&of.outcome))
        j.outcome = no_improvement{comparison::undecided, won->after, won->after};
    j.context = of.context;
    j.notes.push_back("already judged: the same kernel as proposal " + std::to_string(before + 1) +
                      "; it was not evaluated again");
    return j;
}

/// Writes the result into the proposal's record.
inline void
close_record(attempt_record& record, evaluation_result j, seconds spent, std::uint64_t conditions) {
    record.configurations = std::move(j.configurations);
    record.space = j.space;
    record.context = std::move(j.context);
    for (std::string& note : j.notes) record.notes.push_back(std::move(note));
    record.testing = spent;
    record.conditions = conditions;
    record.outcome = std::move(j.outcome);
}

[[nodiscard]] inline evaluated ended_as(attempt_record const& record) {
    switch (ending_of(record)) {
    case ending::improved:
        return evaluated::faster;
    case ending::correct:
        return evaluated::slower;
    case ending::nothing:
        break;
    }
    return evaluated::failed;
}

/// Why the model would be asked again; nothing where the proposal was accepted, or not judged.
[[nodiscard]] inline std::optional<rejected_attempt>
rejected_attempt_of(attempt_record const& record) {
    if (auto const* slower = std::get_if<no_improvement>(&record.outcome))
        return rejected_attempt{record.reply, *slower, record.context};
    if (auto const* why = std::get_if<failure>(&record.outcome))
        return rejected_attempt{record.reply, *why, record.context};
    return std::nullopt;
}

} // namespace lkt::detail
