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

/// The current step can be applied to the kernel as it is.
struct valid {};
/// It cannot; its record says why.
struct invalid {};

using validity = std::variant<unusable, valid, invalid>;

namespace detail {
[[nodiscard]] result<validity> validate_step(questioning const& q);
} // namespace detail

/// Asks whether the step at work is one for the best kernel, which the model is shown. Writes
/// `planning` and `usage`. Without a step at work: `invalid`. Cost: one model call.
template <class Prompts = default_planning_prompts>
struct validate_step_fn {
    static constexpr std::string_view name = "validate";

    template <planning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<validity> {
        return detail::with_questioning<Prompts>(s, tools, &detail::validate_step);
    }
};
inline constexpr validate_step_fn<> validate_step{};

} // namespace lkt
