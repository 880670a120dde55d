// SPDX-License-Identifier: BSL-1.0
// Through a list of steps, from one to the next. None of these asks anybody.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/ending.hpp>
#include <lkt/nodes/step_ledger.hpp>

#include <string_view>

namespace lkt {

enum class selection {
    gated,   ///< a step was selected; whether it makes sense is a question for the model
    ungated, ///< a step was selected that says `skip_evaluation`
    none,    ///< all are over
};

namespace detail {
[[nodiscard]] result<void> begin_steps(state_ref const& s, step_ledger& l);
[[nodiscard]] selection select_step(state_ref const& s, step_ledger& l, dependency_rule rule);
void record_step(state_ref const& s, step_ledger& l);
/// Ends the step at work; a note on the run says how.
void end_step(state_ref const& s, step_ledger& l, step_outcome outcome, std::string why);
[[nodiscard]] ending summarize_step_list(state_ref const& s, step_ledger const& l);
} // namespace detail

/// Begins a run through the list; no step is done yet. Error: `lkt.strategies.steps`, for an
/// invalid list.
inline constexpr auto begin_steps = []<step_list_fields S>(S& s) -> result<void> {
    return detail::begin_steps(detail::state_ref(s), s.ledger);
};

/// Selects the first step of the list that is not over and whose dependencies are, and makes it
/// what models are asked for (`step`); a clean sheet of `attempts`. On the way it ends the steps
/// that are for another language, whose dependencies do not meet the rule, or whose parameters the
/// kernel has already.
template <dependency_rule Rule = dependency_rule::applied>
struct select_step_fn {
    static constexpr std::string_view name = "select_step";

    template <step_list_fields S>
    selection operator()(S& s) const {
        return detail::select_step(detail::state_ref(s), s.ledger, Rule);
    }
};
inline constexpr select_step_fn<> select_step{};

/// Writes down what the attempts at the selected step came to.
inline constexpr auto record_step = []<step_list_fields S>(S& s) -> void {
    detail::record_step(detail::state_ref(s), s.ledger);
};

/// What the list came to: `correct` also where no step was tried.
inline constexpr auto summarize_step_list = []<step_list_fields S>(S& s) -> ending {
    return detail::summarize_step_list(detail::state_ref(s), s.ledger);
};

} // namespace lkt
