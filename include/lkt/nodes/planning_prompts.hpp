// SPDX-License-Identifier: BSL-1.0
// Every word that a model is sent when it plans.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/prompt_texts.hpp>
#include <lkt/nodes/prompts.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// What changes from one question about a plan to the next.
struct planning_words {
    std::vector<std::string> past;   ///< steps that were taken, and what each came to
    std::vector<std::string> open;   ///< steps that are still to take
    std::optional<std::string> step; ///< that the question is about, fenced
    int max_steps = 0;               ///< steps that an answer may have
    using state_fields = fields<&planning_words::past,
                                &planning_words::open,
                                &planning_words::step,
                                &planning_words::max_steps>;
};
struct unusable_answer_words {
    std::vector<std::string> faults;
    using state_fields = fields<&unusable_answer_words::faults>;
    using required_fields = state_fields;
};

/// The texts of these turns. A question is `task` and, behind it, one of the next four. A new
/// object has the library's.
struct planning_texts {
    prompt<rules_words> system; ///< `rules` are those of a step
    prompt<task_words> task;
    prompt<planning_words> plan, validate, break_down, replan;
    prompt<unusable_answer_words> again;

    using state_fields = fields<&planning_texts::system,
                                &planning_texts::task,
                                &planning_texts::plan,
                                &planning_texts::validate,
                                &planning_texts::break_down,
                                &planning_texts::replan,
                                &planning_texts::again>;

    planning_texts();

    /// As `prompt_texts::replace`.
    [[nodiscard]] result<void> replace(std::string_view name, std::string_view text);

    friend bool operator==(planning_texts const&, planning_texts const&) = default;
};

/// The placeholders of a question about a plan.
struct planning_brief {
    brief task;
    std::span<past_step const> past; ///< without the step at work
    std::span<planned_step const> open;
    std::span<attempt_record const> history;
    past_step const* step = nullptr; ///< at work, in questions about a step
    int max_steps = 0;               ///< steps that an answer may have
    std::size_t left_out = 0; ///< steps before `past`, which the model is not told of (`recall`)
};

/// The turns of questions about a plan. What stays the same over a run comes first, as in
/// `default_prompts`. To use other words, assign to `texts`; write your own by deriving from it, or
/// from nothing.
struct default_planning_prompts {
    planning_texts texts = {};

    [[nodiscard]] std::string system(planning_brief const& b) const;
    [[nodiscard]] std::string question(planning_question what, planning_brief const& b) const;
    /// Answers a reply that could not be used.
    [[nodiscard]] std::string again(std::vector<std::string> const& faults) const;
    friend bool operator==(default_planning_prompts const&,
                           default_planning_prompts const&) = default;
};

template <class P>
concept planning_prompt_set = requires(P const& p,
                                       planning_brief const& b,
                                       planning_question what,
                                       std::vector<std::string> const& faults) {
    { p.system(b) } -> std::convertible_to<std::string>;
    { p.question(what, b) } -> std::convertible_to<std::string>;
    { p.again(faults) } -> std::convertible_to<std::string>;
};

} // namespace lkt
