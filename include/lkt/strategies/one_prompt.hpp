// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/fix_parameters.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/summarize_step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

struct one_prompt_knobs {
    int attempts = 3;            ///< replies to ask for; the first faster kernel ends the step; or
                                 ///< `from_state`, which takes `tuning_state::max_attempts`
    bool retry_slower = true;    ///< a correct kernel that is not faster uses up an attempt;
                                 ///< otherwise it ends the step
    bool fix_parameters = false; ///< ask once more, about parameters that a text does not settle
    bool detect_unchanged = false; ///< a kernel that comes back as it was ends the step, unmeasured
    friend bool operator==(one_prompt_knobs const&, one_prompt_knobs const&) = default;
};

/// Asks for one rewrite, of the kind that `step` says if it says one; what does not compile, is
/// wrong or not faster goes back to the model with the reason, until a faster kernel came or the
/// attempts are used up. Costs at most `attempts` model calls, and with `fix_parameters` one more
/// for each reply whose parameters have to be put right. The terminals are `tuned`, `unchanged` and
/// `gave_up`.
template <one_prompt_knobs K = one_prompt_knobs{},
          class Prompts = default_prompts,
          auto Retry = backoff{}>
struct one_prompt {
    static_assert(detail::in_range(1, K.attempts),
                  "[lkt.strategies.attempts] one_prompt_knobs::attempts must be positive, or "
                  "lkt::from_state");

    static constexpr auto retry = Retry;
    static constexpr auto attempts = detail::limit_of<K.attempts, &tuning_state::max_attempts>();
    static constexpr propose_fn<Prompts> propose{};
    static constexpr auto graph = lkt::graph<tuning_state>(
        dsl::node<begin_step>(dsl::to(propose)),
        dsl::node<propose>(
            dsl::retrying<Retry>(),
            dsl::limit<attempts>(summarize_step),
            dsl::on<answer::code>(dsl::either<K.detect_unchanged>(detect_unchanged, evaluate)),
            dsl::on<answer::none>(dsl::either<K.fix_parameters>(fix_parameters, propose))),
        dsl::when<K.fix_parameters>(dsl::node<fix_parameters>(
            dsl::retrying<Retry>(),
            dsl::on<parameters_fixed::yes>(
                dsl::either<K.detect_unchanged>(detect_unchanged, evaluate)),
            dsl::on<parameters_fixed::no>(propose))),
        dsl::when<K.detect_unchanged>(
            dsl::node<detect_unchanged>(dsl::on<proposal_change::changed>(evaluate),
                                        dsl::on<proposal_change::same>(summarize_step))),
        dsl::node<evaluate>(
            dsl::retrying<Retry>(),
            dsl::on<evaluated::faster>(dsl::stop<tuned>),
            dsl::on<evaluated::slower>(dsl::either<K.retry_slower>(propose, summarize_step)),
            dsl::on<evaluated::failed>(propose)),
        dsl::node<summarize_step>(dsl::on<step_summary::correct>(dsl::stop<unchanged>),
                                  dsl::on<step_summary::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
