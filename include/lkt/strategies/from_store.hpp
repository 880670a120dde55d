// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

namespace lkt {

/// Judges a kernel that is there already, from a store or a file, as if a model had just written
/// it. The terminals are `tuned`, `unchanged` and `gave_up` (it is wrong).
template <auto Retry = backoff{}>
struct from_store {
    candidate kernel;

    /// What the tuner does before a run.
    void prepare(tuning_state& s) const { s.proposal = kernel; }

    static constexpr auto retry = Retry;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<tuning_state>(node<evaluate>(retrying<Retry>(),
                                                       on<evaluated::faster>(stop<tuned>),
                                                       on<evaluated::slower>(stop<unchanged>),
                                                       on<evaluated::failed>(stop<gave_up>)));
    }();
};

} // namespace lkt
