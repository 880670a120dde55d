// SPDX-License-Identifier: BSL-1.0
// What a strategy that plans keeps beside the tuning fields.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// One isolated change of the kernel, in the model's words.
struct planned_step {
    std::string text;
    int level = 0;  ///< how often it came out of a larger step that was broken down
    int replan = 0; ///< of which plan: 0 for the first one
};

enum class step_end : unsigned char {
    open,           ///< it is being worked on, or the run ended meanwhile
    applied,        ///< a faster kernel was accepted
    no_gain,        ///< correct, but not faster
    not_applicable, ///< the kernel came back as it was
    failed,         ///< no correct kernel came
    invalid,        ///< it was found to be no step for this kernel, and not tried
    broken_down,    ///< smaller steps stand for it
};

[[nodiscard]] constexpr std::string_view to_string(step_end e) {
    switch (e) {
    case step_end::open:
        return "open";
    case step_end::applied:
        return "applied";
    case step_end::no_gain:
        return "no-gain";
    case step_end::not_applicable:
        return "not-applicable";
    case step_end::failed:
        return "failed";
    case step_end::invalid:
        return "invalid";
    case step_end::broken_down:
        return "broken-down";
    }
    return "unknown";
}

/// A step that was taken from a plan, and what it came to.
struct past_step {
    planned_step step;
    int number = 1; ///< counted over all plans
    step_end end = step_end::open;
    std::string why; ///< it is invalid, or failed; may be empty
    bool validated = false;
    std::size_t first_record = 0, records = 0; ///< its attempts, in the history
};

/// What a model is asked about a plan.
enum class planning_question : unsigned char { plan, validate, break_down, replan };

[[nodiscard]] constexpr std::string_view to_string(planning_question q) {
    switch (q) {
    case planning_question::plan:
        return "plan";
    case planning_question::validate:
        return "validate";
    case planning_question::break_down:
        return "break-down";
    case planning_question::replan:
        return "replan";
    }
    return "unknown";
}

/// The outcome of a node that asked: the answer could not be used, and the model is to be told.
struct unusable {};

/// One answer to such a question.
struct planning_exchange {
    planning_question what = planning_question::plan;
    std::string model, reply;
    std::vector<std::string> faults; ///< why it was unusable; the model was told
    seconds thinking{};              ///< time that the model took
    token_usage usage;
};

/// How far planning goes.
struct planning_limits {
    int plan_length = 10;
    int max_steps = 40;
    int max_breakdowns = 1;
    int max_replans = 3;

    [[nodiscard]] static constexpr auto allowed() {
        using l = planning_limits;
        return std::array{
            number_of<&l::plan_length>(1, 1'000, "steps that are still to take, at any time"),
            number_of<&l::max_steps>(1, 100'000, "how often a run looks for the next step"),
            number_of<&l::max_breakdowns>(0, 5, "levels in which steps are broken down"),
            number_of<&l::max_replans>(0, 1'000, "plans to ask for after the first one")};
    }
    friend bool operator==(planning_limits const&, planning_limits const&) = default;
};

/// The plan, and all that was said about it.
struct planning_record {
    std::vector<planned_step> open; ///< still to take, in order
    std::vector<past_step> past;    ///< taken; the last one may be at work
    int replans = 0;                ///< plans after the first one
    std::vector<planning_exchange> exchanges;
    /// The exchange with which the current question began. Later ones are its unusable answers,
    /// from which its conversation is derived.
    std::size_t question_from = 0;
    std::size_t history_from = 0; ///< the first attempt of this run of the strategy
    planning_limits limits;

    /// Unusable answers to the current question.
    [[nodiscard]] std::span<planning_exchange const> unusable() const {
        return std::span(exchanges).subspan(question_from);
    }
};

/// The State of a strategy that plans.
struct planning_state : tuning_state {
    planning_record planning;

    using state_fields = fields_of<tuning_state, &planning_state::planning>;
};

/// The documented names that the nodes of planning read and write.
template <class S>
concept planning_fields = tuning_fields<S> && requires(S& s) {
    { s.planning } -> std::same_as<planning_record&>;
};

/// `Step 3: use shared memory (breakdown level 1) (replan 2)`
[[nodiscard]] std::string step_words(past_step const& p);

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<planning_record> : compiled_codec<planning_record> {};
extern template struct compiled_codec<planning_record>;

} // namespace lkt
