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
#include <lkt/strategies/terminals.hpp>

namespace lkt {

struct one_prompt_knobs {
    bool retry_slower = true;      ///< a correct kernel that is not faster uses up an attempt;
                                   ///< otherwise it ends the step
    bool fix_parameters = false;   ///< ask once more, about parameters that a text does not settle
                                   ///< and restrictions that cannot be used
    bool detect_unchanged = false; ///< a kernel that comes back as it was ends the step, unmeasured
    friend bool operator==(one_prompt_knobs const&, one_prompt_knobs const&) = default;
};

/// Asks for one rewrite, of the kind in `step` if it is set. A kernel that does not compile, is
/// wrong or not faster goes back to the model with the reason, until a kernel is faster or the
/// attempts are used up. Costs at most `attempts` model calls, and with `fix_parameters` one more
/// for each reply whose parameters need a correction, `answers_of_fix` for its restrictions. The
/// terminals are `tuned`, `unchanged` and `gave_up`.
template <one_prompt_knobs K = one_prompt_knobs{},
          class Prompts = default_prompts,
          auto Retry = backoff{}>
struct one_prompt {
    step_limits limits{};
    using number_fields = fields<&one_prompt::limits>;
    void adjust(tuning_state& s) const { s.per_step = limits; }

    static constexpr auto retry = Retry;
    static constexpr propose_fn<Prompts> propose{};
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<tuning_state>(
            node<begin_step>(to(propose)),
            node<propose>(retrying<Retry>(),
                          limit<&tuning_state::per_step, &step_limits::attempts>(summarize_step),
                          on<answer::code>(either<K.detect_unchanged>(detect_unchanged, evaluate)),
                          on<answer::none>(either<K.fix_parameters>(fix_parameters, propose))),
            when<K.fix_parameters>(node<fix_parameters>(
                retrying<Retry>(),
                on<parameters_fixed::yes>(either<K.detect_unchanged>(detect_unchanged, evaluate)),
                on<parameters_fixed::no>(propose))),
            when<K.detect_unchanged>(node<detect_unchanged>(
                on<proposal_change::changed>(evaluate), on<proposal_change::same>(summarize_step))),
            node<evaluate>(retrying<Retry>(),
                           on<evaluated::faster>(stop<tuned>),
                           on<evaluated::slower>(either<K.retry_slower>(propose, summarize_step)),
                           on<evaluated::failed>(propose)),
            node<summarize_step>(on<step_summary::correct>(stop<unchanged>),
                                 on<step_summary::nothing>(stop<gave_up>)));
    }();
};

} // namespace lkt
