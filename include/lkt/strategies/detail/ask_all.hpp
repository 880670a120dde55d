// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/batch.hpp>

namespace lkt::detail {

struct replies_came {};

/// Asks for all proposals, and again for those whose calls failed. A graph of its own, entered anew
/// each round, since limits count the visits of one entry.
template <auto const& Ask, auto Retry, class State>
struct ask_all {
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<State>(node<Ask>(retrying<Retry>(),
                                           limit<attempts_of(Retry)>(stop<replies_came>),
                                           on<asked::all>(stop<replies_came>),
                                           on<asked::some>(Ask)));
    }();
};

} // namespace lkt::detail
