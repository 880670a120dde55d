// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/expression_scope.hpp>

#include <cstddef>
#include <vector>

namespace lkt::detail {

/// Where a walk stands. `scopes` hold, for each restriction, the names that it uses and nothing
/// else, so that evaluating it looks through few names.
struct walk_state {
    std::vector<std::size_t> next; ///< for each parameter bound so far, the value to try next
    std::size_t depth = 0;         ///< parameters that are bound
    bool started = false, done = false;
    std::vector<expression_scope> scopes;
};

} // namespace lkt::detail
