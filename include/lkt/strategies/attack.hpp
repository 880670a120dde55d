// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/attack_steps.hpp>

namespace lkt {

/// A wrong kernel was accepted, and its witness shows that it is wrong.
struct deceived {};
/// No wrong kernel was accepted, as far as is known.
struct withstood {};

/// Asks a model that knows the judge, and every verdict so far, for wrong kernels that the judge
/// would accept; each is judged, and an accepted one has to be proven wrong. It tunes nothing: it
/// finds what verification overlooks. Costs at most `limits.rounds` model calls. State:
/// `attack_state`, which may hold what is pending of an earlier run; tools: `attack_tools`.
template <auto Retry = backoff{}>
struct attack {
    static constexpr auto retry = Retry;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<attack_state>(
            node<judge_attacks>(to(ask_attacks)),
            node<ask_attacks>(retrying<Retry>(),
                              limit<&attack_state::limits, &attack_limits::rounds>(count_attacks),
                              on<attacks_asked::some>(judge_attacks),
                              on<attacks_asked::none>(ask_attacks),
                              on<attacks_asked::enough>(count_attacks)),
            node<count_attacks>(on<attacks_counted::some_proven>(stop<deceived>),
                                on<attacks_counted::none_proven>(stop<withstood>)));
    }();
};

} // namespace lkt
