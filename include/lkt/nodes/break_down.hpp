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

/// The step at work stays as it is.
struct whole {};
/// Smaller steps, which now lead the plan, stand for it.
struct broken_down {};

using breakdown = std::variant<unusable, whole, broken_down>;

namespace detail {
[[nodiscard]] result<breakdown> break_down(questioning const& q);
} // namespace detail

/// Asks whether the step at work should be broken down, and into what. A step that came of
/// `max_breakdowns` larger ones is `whole` without a question, as is one for whose parts the plan
/// has no room (`plan_length`). Writes `planning` and `usage`. Cost: at most one model call.
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
