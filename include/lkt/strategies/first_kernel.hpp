// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/write_kernel.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// There is a kernel that computes what the oracle says.
struct written {};

/// From an operation (`problem::unwritten`) to a kernel: the model writes one, and is told what is
/// wrong with it until it passes. It comes before a strategy, which then makes it faster. Costs at
/// most `Attempts` model calls.
template <tuning_fields S = tuning_state, int Attempts = 8, auto Retry = backoff{}>
struct first_kernel {
    static constexpr auto retry = Retry;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<S>(node<write_kernel>(retrying<Retry>(),
                                                limit<Attempts>(stop<gave_up>),
                                                on<answer::code>(judge_first),
                                                on<answer::none>(write_kernel)),
                             node<judge_first>(retrying<Retry>(),
                                               on<first_judged::right>(stop<written>),
                                               on<first_judged::wrong>(write_kernel)));
    }();
};

} // namespace lkt
