// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// Tunes the parameters of the kernel as it stands, without a model: every configuration against
/// the default one. The terminals are `tuned`, `unchanged` and `gave_up` (no configuration worked).
template <auto Retry = backoff{}>
struct sweep {
    static constexpr auto retry = Retry;
    static constexpr auto graph = lkt::graph<tuning_state>(
        dsl::node<propose_as_is>(dsl::to(evaluate)),
        dsl::node<evaluate>(dsl::retrying<Retry>(),
                            dsl::on<evaluated::faster>(dsl::stop<tuned>),
                            dsl::on<evaluated::slower>(dsl::stop<unchanged>),
                            dsl::on<evaluated::failed>(dsl::stop<gave_up>)));
};

} // namespace lkt
