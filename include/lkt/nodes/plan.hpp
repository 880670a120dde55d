// SPDX-License-Identifier: BSL-1.0
// A model is asked for a plan, and for another one when it has come to its end.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/detail/question.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <string_view>
#include <variant>

namespace lkt {

/// `planning.open` has the steps.
struct planned {};
/// The model expects no gain; there are no steps.
struct nothing_to_do {};

using plan_outcome = std::variant<unusable, planned, nothing_to_do>;

namespace detail {
[[nodiscard]] result<plan_outcome> make_plan(questioning const& q);
[[nodiscard]] result<plan_outcome> make_another_plan(questioning const& q);
} // namespace detail

/// Asks for steps that would make the best kernel faster. Writes `planning` and `usage`. Steps that
/// were tried before and those beyond `plan_length` are left out, with a note on the run; an answer
/// with only such steps is unusable. The prompts are `tools.planning_prompts` if that is a
/// `Prompts`, else `Prompts{}`. Like all questions about a plan, one that is too long for the model
/// contains only the latest steps. Cost: one model call.
template <class Prompts = default_planning_prompts>
struct plan_fn {
    static constexpr std::string_view name = "plan";

    template <planning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<plan_outcome> {
        return detail::with_questioning<Prompts>(s, tools, &detail::make_plan);
    }
};
inline constexpr plan_fn<> plan{};

/// Asks after the end of a plan whether further steps would help, and for these; the question
/// contains the results of the others. A yes without steps ends the planning as well. Counts
/// `planning.replans`; else as `plan`.
template <class Prompts = default_planning_prompts>
struct replan_fn {
    static constexpr std::string_view name = "replan";

    template <planning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<plan_outcome> {
        return detail::with_questioning<Prompts>(s, tools, &detail::make_another_plan);
    }
};
inline constexpr replan_fn<> replan{};

} // namespace lkt
