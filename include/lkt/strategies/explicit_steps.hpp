// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/llm/answer_mode.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/fit_parameters.hpp>
#include <lkt/nodes/gate.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/select_step.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/summarize_step.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace lkt {

struct explicit_knobs {
    int attempts = 3;          ///< replies to ask for, a step; or `from_state`
    bool retry_slower = false; ///< a correct kernel that is not faster uses up an attempt;
                               ///< otherwise it ends the step
    bool gate = true;          ///< ask whether a step makes sense before it is taken
    int gate_attempts = 3;     ///< answers to ask for; after as many unusable ones the step runs
    answer_mode gate_mode = answer_mode::automatic; ///< how such an answer gets its form
    dependency_rule dependencies = dependency_rule::applied;
    std::size_t max_configurations = 200; ///< of one candidate
    friend bool operator==(explicit_knobs const&, explicit_knobs const&) = default;
};

/// The answers to whether a step makes sense.
struct should_run {};
struct should_not_run {};

/// Asks whether the selected step makes sense. A step of which no usable answer says so runs.
template <explicit_knobs K, class GatePrompts = default_gate_prompts, auto Retry = backoff{}>
struct gate_question {
    static constexpr ask_gate_fn<K.gate_mode, GatePrompts> ask_gate{};
    static constexpr auto graph = lkt::graph<explicit_state>(
        dsl::node<ask_gate>(dsl::retrying<Retry>(),
                            dsl::limit<K.gate_attempts>(dsl::stop<should_run>),
                            dsl::on<gated::yes>(dsl::stop<should_run>),
                            dsl::on<gated::no>(dsl::stop<should_not_run>),
                            dsl::on<gated::unclear>(ask_gate)));
};

/// `one_prompt` for the selected step, whose parameters go into what the model proposes.
template <explicit_knobs K, class Prompts = default_prompts, auto Retry = backoff{}>
struct apply_listed_step {
    static constexpr auto attempts = detail::limit_of<K.attempts, &tuning_state::max_attempts>();
    static constexpr propose_fn<Prompts> propose{};
    static constexpr fit_parameters_fn<K.max_configurations> fit_parameters{};
    static constexpr auto graph = lkt::graph<explicit_state>(
        dsl::node<begin_step>(dsl::to(propose)),
        dsl::node<propose>(dsl::retrying<Retry>(),
                           dsl::limit<attempts>(summarize_step),
                           dsl::on<answer::code>(fit_parameters),
                           dsl::on<answer::none>(propose)),
        dsl::node<fit_parameters>(dsl::to(evaluate)),
        dsl::node<evaluate>(
            dsl::retrying<Retry>(),
            dsl::on<evaluated::faster>(dsl::stop<tuned>),
            dsl::on<evaluated::slower>(dsl::either<K.retry_slower>(propose, summarize_step)),
            dsl::on<evaluated::failed>(propose)),
        dsl::node<summarize_step>(dsl::on<step_summary::correct>(dsl::stop<unchanged>),
                                  dsl::on<step_summary::nothing>(dsl::stop<gave_up>)));
};

/// Works off a list of steps: selects the next one whose dependencies allow it, asks whether it
/// makes sense for the best kernel so far, lets the model apply it, and keeps what is faster. Costs
/// at most `gate_attempts + attempts` model calls a step. The terminals are `tuned`, `unchanged`
/// and `gave_up` (steps were tried, and no correct kernel came).
template <explicit_knobs K = explicit_knobs{},
          class Prompts = default_prompts,
          class GatePrompts = default_gate_prompts,
          auto Retry = backoff{}>
struct explicit_steps {
    static_assert(detail::in_range(1, K.attempts),
                  "[lkt.strategies.attempts] explicit_knobs::attempts must be positive, or "
                  "lkt::from_state");
    static_assert(K.gate_attempts > 0,
                  "[lkt.strategies.attempts] explicit_knobs::gate_attempts must be positive; "
                  "without a gate, say .gate = false");

    static constexpr auto retry = Retry;

    /// The list to work off; nothing: `default_steps()`.
    std::optional<std::vector<optimization_step>> steps{};

    /// What the tuner does before a run.
    void prepare(explicit_state& s) const {
        if (steps) s.ledger.steps = *steps;
    }

    static constexpr select_step_fn<K.dependencies> select_step{};
    static constexpr auto gate = dsl::sub<gate_question<K, GatePrompts, Retry>>;
    static constexpr auto apply = dsl::sub<apply_listed_step<K, Prompts, Retry>>;
    static constexpr auto graph = lkt::graph<explicit_state>(
        dsl::node<begin_steps>(dsl::to(select_step)),
        dsl::node<select_step>(dsl::limit<&explicit_state::max_selections>(summarize_step_list),
                               dsl::on<selection::gated>(dsl::either<K.gate>(gate, apply)),
                               dsl::on<selection::ungated>(apply),
                               dsl::on<selection::none>(summarize_step_list)),
        dsl::when<K.gate>(
            dsl::node<gate>(dsl::on<should_run>(apply), dsl::on<should_not_run>(select_step))),
        dsl::node<apply>(dsl::on<tuned>(record_step),
                         dsl::on<unchanged>(record_step),
                         dsl::on<gave_up>(record_step)),
        dsl::node<record_step>(dsl::to(select_step)),
        dsl::node<summarize_step_list>(dsl::on<steps_end::improved>(dsl::stop<tuned>),
                                       dsl::on<steps_end::correct>(dsl::stop<unchanged>),
                                       dsl::on<steps_end::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
