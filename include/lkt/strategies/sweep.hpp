// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// Tunes the parameters of the kernel as it is, without a model: every configuration against the
/// default one. The terminals are `tuned`, `unchanged` and `gave_up` (no configuration worked).
template <auto Retry = backoff{}>
struct sweep {
    static constexpr auto retry = Retry;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<tuning_state>(node<propose_as_is>(to(evaluate)),
                                        node<evaluate>(retrying<Retry>(),
                                                       on<evaluated::faster>(stop<tuned>),
                                                       on<evaluated::slower>(stop<unchanged>),
                                                       on<evaluated::failed>(stop<gave_up>)));
    }();
};

} // namespace lkt
