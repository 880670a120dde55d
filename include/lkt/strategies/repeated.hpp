// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// Runs a strategy again as long as it ends in `tuned`, each time from the best kernel so far, at
/// most `Rounds` times. The strategy's terminals must be `tuned`, `unchanged` and `gave_up`; these
/// are the outcome's as well: `tuned` when any round improved the kernel.
template <class Strategy, int Rounds>
struct repeated {
    static_assert(Rounds > 0, "[lkt.strategies.rounds] repeated<Strategy, Rounds> needs a round");

    static constexpr auto round = dsl::sub<Strategy>;
    static constexpr auto graph = lkt::graph<typename decltype(Strategy::graph)::state_type>(
        dsl::node<begin_step>(dsl::limit<Rounds>(dsl::stop<tuned>), dsl::to(round)),
        dsl::node<round>(dsl::on<tuned>(begin_step),
                         dsl::on<unchanged>(look_back_unchanged),
                         dsl::on<gave_up>(look_back_gave_up)),
        dsl::node<look_back_unchanged>(dsl::on<since_start::improved>(dsl::stop<tuned>),
                                       dsl::on<since_start::same>(dsl::stop<unchanged>)),
        dsl::node<look_back_gave_up>(dsl::on<since_start::improved>(dsl::stop<tuned>),
                                     dsl::on<since_start::same>(dsl::stop<gave_up>)));
};

} // namespace lkt
