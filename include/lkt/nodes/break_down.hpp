// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/detail/question.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <string_view>
#include <variant>

namespace lkt {

/// The current step stays as it is.
struct whole {};
/// Smaller steps replace it and are now first in the plan.
struct broken_down {};

using breakdown = std::variant<unusable, whole, broken_down>;

namespace detail {
[[nodiscard]] result<breakdown> break_down(questioning const& q);
} // namespace detail

/// Asks whether the current step should be broken down, and into which steps. A step that results
/// from `max_breakdowns` larger ones is `whole` without a question, and so is one if the plan has
/// no room for its parts (`plan_length`). Writes `planning` and `usage`. Cost: at most one model
/// call.
template <class Prompts = default_planning_prompts>
struct break_down_fn {
    static constexpr std::string_view name = "break_down";

    template <planning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<breakdown> {
        return detail::with_questioning<Prompts>(s, tools, &detail::break_down);
    }
};
inline constexpr break_down_fn<> break_down{};

} // namespace lkt
