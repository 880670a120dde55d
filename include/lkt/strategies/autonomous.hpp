// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/break_down.hpp>
#include <lkt/nodes/inquire.hpp>
#include <lkt/nodes/plan.hpp>
#include <lkt/nodes/plan_steps.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/validate_step.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/terminals.hpp>
#include <lkt/strategies/until_usable.hpp>

namespace lkt {

struct autonomous_knobs {
    bool validation = true;     ///< ask whether a step can be applied before it is
    bool replanning = true;     ///< ask for another plan when one has come to its end
    bool breakdown = false;     ///< ask whether a step should be broken down
    bool retry_slower = false;  ///< a correct kernel that is not faster uses up an attempt;
                                ///< otherwise it ends its step
    bool fix_parameters = true; ///< ask once more about parameters that a text does not settle, and
                                ///< about restrictions that cannot be used
    friend bool operator==(autonomous_knobs const&, autonomous_knobs const&) = default;
};

/// The model plans steps, and applies one after the other to the best kernel so far: each is
/// validated, broken down if requested, applied, and summarized; at the end of the plan, the model
/// is told the result of each step and may plan others. Every question has its own conversation,
/// which contains only its own unusable answers. Before a plan the model may ask about the best
/// kernel (`inquire`). The terminals are `tuned`, `unchanged` and
/// `gave_up`.
template <autonomous_knobs K = autonomous_knobs{},
          class Prompts = default_prompts,
          class Planning = default_planning_prompts,
          auto Retry = backoff{}>
struct autonomous {
    planning_limits limits{};
    step_limits per_step{}; ///< its `attempts` hold for each question, too
    using number_fields = fields<&autonomous::limits, &autonomous::per_step>;
    void adjust(planning_state& s) const {
        s.planning.limits = limits;
        s.per_step = per_step;
    }

    static constexpr auto retry = Retry;
    static constexpr bool asks_reviewer = true;
    static constexpr inquire_fn<> inquire{}; ///< before the first plan
    struct best_after_plan : best_so_far {};
    static constexpr inquire_fn<best_after_plan> inquire_again{}; ///< before each other one
    static constexpr plan_fn<Planning> ask_plan{};
    static constexpr validate_step_fn<Planning> ask_validity{};
    static constexpr break_down_fn<Planning> ask_breakdown{};
    static constexpr replan_fn<Planning> ask_replan{};

private:
    static constexpr one_prompt_knobs agent{.retry_slower = K.retry_slower,
                                            .fix_parameters = K.fix_parameters,
                                            .detect_unchanged = true};

public:
    static constexpr auto plan = dsl::sub<until_usable<ask_plan, Retry>>;
    static constexpr auto validate = dsl::sub<until_usable<ask_validity, Retry>>;
    static constexpr auto break_down = dsl::sub<until_usable<ask_breakdown, Retry>>;
    static constexpr auto apply = dsl::sub<one_prompt<agent, Prompts, Retry>>;
    static constexpr auto replan = dsl::sub<until_usable<ask_replan, Retry>>;

    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<planning_state>(
            node<begin_plan>(to(inquire)),
            node<inquire>(retrying<Retry>(), to(plan)),
            node<plan>(on<planned>(next_step),
                       on<nothing_to_do>(summarize_plan),
                       on<no_answer>(summarize_plan)),
            node<next_step>(limit<&planning_state::planning,
                                  &planning_record::limits,
                                  &planning_limits::max_steps>(summarize_plan),
                            on<next::step>(either<K.validation>(
                                validate, either<K.breakdown>(break_down, assign_step))),
                            on<next::none>(either<K.replanning>(inquire_again, summarize_plan))),
            // Whoever cannot say whether a step is valid has nothing against it: it is tried.
            when<K.validation>(
                node<validate>(on<valid>(either<K.breakdown>(break_down, assign_step)),
                               on<invalid>(next_step),
                               on<no_answer>(either<K.breakdown>(break_down, assign_step)))),
            when<K.breakdown>(node<break_down>(
                on<broken_down>(next_step), on<whole>(assign_step), on<no_answer>(assign_step))),
            node<assign_step>(to(apply)),
            node<apply>(to(finish_step)),
            node<finish_step>(to(next_step)),
            when<K.replanning>(
                node<inquire_again>(retrying<Retry>(),
                                    limit<&planning_state::planning,
                                          &planning_record::limits,
                                          &planning_limits::max_replans>(summarize_plan),
                                    to(replan))),
            when<K.replanning>(node<replan>(on<planned>(next_step),
                                            on<nothing_to_do>(summarize_plan),
                                            on<no_answer>(summarize_plan))),
            last_node<summarize_plan>());
    }();
};

} // namespace lkt
