// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/llm/answer_mode.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/fit_parameters.hpp>
#include <lkt/nodes/fix_parameters.hpp>
#include <lkt/nodes/gate.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/select_step.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/summarize_step.hpp>
#include <lkt/strategies/terminals.hpp>

#include <optional>
#include <vector>

namespace lkt {

struct explicit_knobs {
    bool retry_slower = false;  ///< a correct kernel that is not faster uses up an attempt;
                                ///< otherwise it ends the step
    bool gate = true;           ///< ask whether a step makes sense before it is taken
    bool fix_parameters = true; ///< ask once more about parameters that a text does not settle, and
                                ///< about restrictions that cannot be used
    answer_mode gate_mode = answer_mode::automatic; ///< how such an answer gets its form
    dependency_rule dependencies = dependency_rule::applied;
    friend bool operator==(explicit_knobs const&, explicit_knobs const&) = default;
};

namespace detail {
/// The list that was given, if one was.
void take_steps(explicit_state& s, std::optional<std::vector<optimization_step>> const& steps);
} // namespace detail

/// The answers to whether a step makes sense.
struct should_run {};
struct should_not_run {};

/// Asks whether the selected step makes sense. Without a usable answer, the step runs.
template <explicit_knobs K, class GatePrompts = default_gate_prompts, auto Retry = backoff{}>
struct gate_question {
    static constexpr ask_gate_fn<K.gate_mode, GatePrompts> ask_gate{};
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<explicit_state>(node<ask_gate>(
            retrying<Retry>(),
            limit<&explicit_state::ledger, &step_ledger::limits, &step_list_limits::gate_attempts>(
                stop<should_run>),
            on<gated::yes>(stop<should_run>),
            on<gated::no>(stop<should_not_run>),
            on<gated::unclear>(ask_gate)));
    }();
};

/// `one_prompt` for the selected step, whose parameters go into what the model proposes.
template <explicit_knobs K, class Prompts = default_prompts, auto Retry = backoff{}>
struct apply_listed_step {
    static constexpr propose_fn<Prompts> propose{};
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<explicit_state>(
            node<begin_step>(to(propose)),
            node<propose>(retrying<Retry>(),
                          limit<&tuning_state::per_step, &step_limits::attempts>(summarize_step),
                          on<answer::code>(fit_parameters),
                          on<answer::none>(either<K.fix_parameters>(fix_parameters, propose))),
            when<K.fix_parameters>(node<fix_parameters>(retrying<Retry>(),
                                                        on<parameters_fixed::yes>(fit_parameters),
                                                        on<parameters_fixed::no>(propose))),
            node<fit_parameters>(to(evaluate)),
            node<evaluate>(retrying<Retry>(),
                           on<evaluated::faster>(stop<tuned>),
                           on<evaluated::slower>(either<K.retry_slower>(propose, summarize_step)),
                           on<evaluated::failed>(propose)),
            node<summarize_step>(on<step_summary::correct>(stop<unchanged>),
                                 on<step_summary::nothing>(stop<gave_up>)));
    }();
};

/// Works off a list of steps: selects the next one whose dependencies allow it, asks whether it
/// makes sense for the best kernel so far, lets the model apply it, and keeps what is faster. Costs
/// at most `gate_attempts + attempts * (1 + answers_of_fix)` model calls a step. The terminals are
/// `tuned`, `unchanged` and `gave_up` (steps were tried, and no correct kernel came).
template <explicit_knobs K = explicit_knobs{},
          class Prompts = default_prompts,
          class GatePrompts = default_gate_prompts,
          auto Retry = backoff{}>
struct explicit_steps {
    /// The list to work off; nothing: `default_steps()`.
    std::optional<std::vector<optimization_step>> steps{};
    step_list_limits limits{};
    step_limits per_step{};
    using number_fields = fields<&explicit_steps::limits, &explicit_steps::per_step>;
    void adjust(explicit_state& s) const {
        s.ledger.limits = limits;
        s.per_step = per_step;
    }

    static constexpr auto retry = Retry;
    static constexpr bool asks_reviewer = K.gate;

    /// What the tuner does before a run.
    void prepare(explicit_state& s) const { detail::take_steps(s, steps); }

    static constexpr select_step_fn<K.dependencies> select_step{};
    static constexpr auto gate = dsl::sub<gate_question<K, GatePrompts, Retry>>;
    static constexpr auto apply = dsl::sub<apply_listed_step<K, Prompts, Retry>>;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<explicit_state>(
            node<begin_steps>(to(select_step)),
            node<select_step>(limit<&explicit_state::max_selections>(summarize_step_list),
                              on<selection::gated>(either<K.gate>(gate, apply)),
                              on<selection::ungated>(apply),
                              on<selection::none>(summarize_step_list)),
            when<K.gate>(node<gate>(on<should_run>(apply), on<should_not_run>(select_step))),
            node<apply>(to(record_step)),
            node<record_step>(to(select_step)),
            last_node<summarize_step_list>());
    }();
};

} // namespace lkt
