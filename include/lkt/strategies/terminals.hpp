// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/ending.hpp>

namespace lkt {

// How the strategies of this library end. Your own may end in tags of their own.

/// A kernel was accepted that is faster than the one the strategy began with.
struct tuned {};
/// There were correct kernels, but none was faster; the best kernel is unchanged.
struct unchanged {};
/// No correct kernel came; the best is what it was.
struct gave_up {};

/// The last node of a strategy, which returns an `ending`: each leads to its terminal.
template <auto const& Summary>
[[nodiscard]] constexpr auto last_node() {
    using namespace dsl;
    return node<Summary>(on<ending::improved>(stop<tuned>),
                         on<ending::correct>(stop<unchanged>),
                         on<ending::nothing>(stop<gave_up>));
}

} // namespace lkt
