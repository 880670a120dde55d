// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/run.hpp>

namespace lkt_test {

/// Runs a strategy with the numbers that it holds, as a tuner does.
template <class Strategy, class State, class... More>
auto run_strategy(Strategy const& strategy, State& s, More&... more) {
    strategy.adjust(s);
    return lkt::run<Strategy>(s, more...);
}

} // namespace lkt_test
