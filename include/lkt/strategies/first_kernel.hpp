// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/focus.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/write_kernel.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// There is a kernel that computes what the oracle says.
struct written {};

/// A State of `first_kernel` alone.
struct first_kernel_state {
    tuning_state tuning;
    first_round first;

    using state_fields = fields<&first_kernel_state::tuning, &first_kernel_state::first>;
};

/// From an operation (`problem::unwritten`) to a kernel: the model writes one, and is told what is
/// wrong with it until it passes; or it writes `first_round::limits.samples` of them a round, as in
/// `sample_n`, and the fastest that passes is taken. It comes before a strategy, which then makes
/// it faster. Costs at most `Rounds` times so many model calls.
template <first_kernel_fields S = first_kernel_state, int Rounds = 8, auto Retry = backoff{}>
struct first_kernel {
    static constexpr auto retry = Retry;

    static constexpr auto write_kernel = dsl::focus<&S::tuning>(lkt::write_kernel);
    static constexpr auto judge_first = dsl::focus<&S::tuning>(lkt::judge_first);
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_first, Retry, S>>;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<S>(node<begin_round>(limit<Rounds>(stop<gave_up>),
                                               on<first_asked::once>(write_kernel),
                                               on<first_asked::several>(ask)),
                             node<write_kernel>(retrying<Retry>(),
                                                on<answer::code>(judge_first),
                                                on<answer::none>(begin_round)),
                             node<judge_first>(retrying<Retry>(),
                                               on<first_judged::right>(stop<written>),
                                               on<first_judged::wrong>(begin_round)),
                             node<ask>(to(judge_round)),
                             node<judge_round>(retrying<Retry>(),
                                               on<first_judged::right>(stop<written>),
                                               on<first_judged::wrong>(begin_round)));
    }();
};

} // namespace lkt
