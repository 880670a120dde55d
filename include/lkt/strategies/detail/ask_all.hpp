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
    static constexpr auto graph =
        lkt::graph<State>(dsl::node<Ask>(dsl::retrying<Retry>(),
                                         dsl::limit<attempts_of(Retry)>(dsl::stop<replies_came>),
                                         dsl::on<asked::all>(dsl::stop<replies_came>),
                                         dsl::on<asked::some>(Ask)));
};

} // namespace lkt::detail
