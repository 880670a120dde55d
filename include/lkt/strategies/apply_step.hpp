// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/conclude.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/fix_parameters.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/recognise.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

struct apply_step_knobs {
    int attempts = 3;           ///< replies to ask for; the first correct kernel ends the step
    bool retry_slower = false;  ///< a correct kernel that is not faster uses up an attempt instead
    bool fix_parameters = true; ///< ask once more about parameters that a text does not settle
    backoff transport{};        ///< failures of the model or of the device that may pass
    friend bool operator==(apply_step_knobs const&, apply_step_knobs const&) = default;
};

/// Asks for the rewrite that `step` describes, as `one_prompt` does for any; a kernel that comes
/// back as it was ends it, without being measured again. Costs at most `attempts` model calls, and
/// one more for each reply whose parameters have to be put right. The terminals are `tuned`,
/// `unchanged` and `gave_up`.
template <apply_step_knobs K = apply_step_knobs{}, class Prompts = default_prompts>
struct apply_step {
    static_assert(detail::in_range(1, K.attempts),
                  "[lkt.strategies.attempts] apply_step_knobs::attempts must be positive, or "
                  "lkt::from_state");

    static constexpr auto attempts = detail::limit_of<K.attempts, &tuning_state::max_attempts>();
    static constexpr propose_fn<Prompts> propose{};
    static constexpr auto graph = lkt::graph<tuning_state>(
        dsl::node<begin_step>(dsl::to(propose)),
        dsl::node<propose>(
            dsl::retrying<K.transport>(),
            dsl::limit<attempts>(conclude),
            dsl::on<answer::code>(recognise),
            dsl::on<answer::none>(dsl::either<K.fix_parameters>(fix_parameters, propose))),
        dsl::when<K.fix_parameters>(
            dsl::node<fix_parameters>(dsl::retrying<K.transport>(),
                                      dsl::on<parameters_fixed::yes>(recognise),
                                      dsl::on<parameters_fixed::no>(propose))),
        dsl::node<recognise>(dsl::on<recognised::changed>(evaluate),
                             dsl::on<recognised::same>(conclude)),
        dsl::node<evaluate>(
            dsl::retrying<K.transport>(),
            dsl::on<evaluated::faster>(dsl::stop<tuned>),
            dsl::on<evaluated::slower>(dsl::either<K.retry_slower>(propose, conclude)),
            dsl::on<evaluated::failed>(propose)),
        dsl::node<conclude>(dsl::on<concluded::correct>(dsl::stop<unchanged>),
                            dsl::on<concluded::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
