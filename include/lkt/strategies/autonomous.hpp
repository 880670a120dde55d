// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/break_down.hpp>
#include <lkt/nodes/plan.hpp>
#include <lkt/nodes/plan_steps.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/validate_step.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/terminals.hpp>
#include <lkt/strategies/until_usable.hpp>

namespace lkt {

/// What is `from_state` is taken from the State at run time: `attempts` from `max_attempts`,
/// the others from `planning.limits`.
struct autonomous_knobs {
    bool validation = true;     ///< ask whether a step can be applied before it is
    bool replanning = true;     ///< ask for another plan when one has come to its end
    bool breakdown = false;     ///< ask whether a step should be broken down
    int attempts = 3;           ///< answers to a question, and kernels for a step
    int max_breakdowns = 1;     ///< levels; steps can grow exponentially with them
    int max_replans = 3;        ///< questions for another plan
    int plan_length = 10;       ///< steps that are still to take, at any time
    int max_steps = 40;         ///< times that a run looks at its plan
    bool retry_slower = false;  ///< a correct kernel that is not faster uses up an attempt;
                                ///< otherwise it ends its step
    bool fix_parameters = true; ///< ask once more about parameters that a text does not settle
    friend bool operator==(autonomous_knobs const&, autonomous_knobs const&) = default;
};

/// The model plans steps, and applies one after the other to the best kernel so far: each is
/// validated, broken down where that is wanted, applied, and settled; when the plan has come to its
/// end, the model is told what became of its steps and may plan others. Every question has a
/// conversation of its own, which holds its own unusable answers and nothing else. The terminals
/// are `tuned`, `unchanged` and `gave_up`.
template <autonomous_knobs K = autonomous_knobs{},
          class Prompts = default_prompts,
          class Planning = default_planning_prompts,
          auto Retry = backoff{}>
struct autonomous {
    static_assert(detail::in_range(
                      1, K.attempts, K.max_breakdowns, K.max_replans, K.plan_length, K.max_steps),
                  "[lkt.strategies.limits] the numbers of autonomous_knobs must be positive, or "
                  "lkt::from_state");

    static constexpr auto retry = Retry;
    static constexpr planning_limits fixed{
        K.plan_length, K.max_steps, K.max_breakdowns, K.max_replans};

    /// What the tuner says to the State before a run, and before it goes on.
    void adjust(planning_state& s) const { detail::fix_limits(s.planning.limits, fixed); }

    static constexpr begin_plan_fn<fixed> begin_plan{};
    static constexpr plan_fn<Planning> ask_plan{};
    static constexpr validate_step_fn<Planning> ask_validity{};
    static constexpr break_down_fn<Planning> ask_breakdown{};
    static constexpr replan_fn<Planning> ask_replan{};

private:
    static constexpr auto attempts = detail::limit_of<K.attempts, &tuning_state::max_attempts>();
    static constexpr one_prompt_knobs agent{.attempts = K.attempts,
                                            .retry_slower = K.retry_slower,
                                            .fix_parameters = K.fix_parameters,
                                            .detect_unchanged = true};

public:
    static constexpr auto plan = dsl::sub<until_usable<ask_plan, attempts, Retry>>;
    static constexpr auto validate = dsl::sub<until_usable<ask_validity, attempts, Retry>>;
    static constexpr auto break_down = dsl::sub<until_usable<ask_breakdown, attempts, Retry>>;
    static constexpr auto apply = dsl::sub<one_prompt<agent, Prompts, Retry>>;
    static constexpr auto replan = dsl::sub<until_usable<ask_replan, attempts, Retry>>;

    static constexpr auto graph = lkt::graph<planning_state>(
        dsl::node<begin_plan>(dsl::to(plan)),
        dsl::node<plan>(dsl::on<planned>(next_step),
                        dsl::on<nothing_to_do>(summarize_plan),
                        dsl::on<no_answer>(summarize_plan)),
        dsl::node<next_step>(
            dsl::limit<detail::limit_of<K.max_steps, &planning_state::max_steps>()>(summarize_plan),
            dsl::on<next::step>(dsl::either<K.validation>(
                validate, dsl::either<K.breakdown>(break_down, assign_step))),
            dsl::on<next::none>(dsl::either<K.replanning>(replan, summarize_plan))),
        // Whoever cannot say whether a step is valid has nothing against it: it is tried.
        dsl::when<K.validation>(dsl::node<validate>(
            dsl::on<valid>(dsl::either<K.breakdown>(break_down, assign_step)),
            dsl::on<invalid>(next_step),
            dsl::on<no_answer>(dsl::either<K.breakdown>(break_down, assign_step)))),
        dsl::when<K.breakdown>(dsl::node<break_down>(dsl::on<broken_down>(next_step),
                                                     dsl::on<whole>(assign_step),
                                                     dsl::on<no_answer>(assign_step))),
        dsl::node<assign_step>(dsl::to(apply)),
        dsl::node<apply>(dsl::on<tuned>(finish_step),
                         dsl::on<unchanged>(finish_step),
                         dsl::on<gave_up>(finish_step)),
        dsl::node<finish_step>(dsl::to(next_step)),
        dsl::when<K.replanning>(dsl::node<replan>(
            dsl::limit<detail::limit_of<K.max_replans, &planning_state::max_replans>()>(
                summarize_plan),
            dsl::on<planned>(next_step),
            dsl::on<nothing_to_do>(summarize_plan),
            dsl::on<no_answer>(summarize_plan))),
        dsl::node<summarize_plan>(dsl::on<planned_end::improved>(dsl::stop<tuned>),
                                  dsl::on<planned_end::correct>(dsl::stop<unchanged>),
                                  dsl::on<planned_end::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
