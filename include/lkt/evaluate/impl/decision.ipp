// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/decision.hpp>

namespace lkt {

comparison disjoint_intervals::compare(measurement const& one, measurement const& other) const {
    return lkt::compare(one, other);
}

bool disjoint_intervals::is_gain(measurement const& one,
                                 measurement const& other,
                                 evaluation_options const& options) const {
    return one.median() <= other.median() * (1 - options.min_gain);
}

decision_ref::decision_ref() : calls_(&calls_of<disjoint_intervals const>) {
    static constexpr disjoint_intervals standard{};
    decision_ = &standard;
}

} // namespace lkt
