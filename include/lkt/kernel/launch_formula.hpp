// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <array>

namespace lkt {

/// Launch geometry as expressions over problem size and tunable parameters. `grid` counts blocks:
/// with a grid divisor it reads `ceil_div(N, BLOCK * ELEMENTS_PER_THREAD)`.
struct launch_formula {
    std::array<expression, 3> grid{1, 1, 1};
    std::array<expression, 3> block{1, 1, 1};
    expression shared_bytes{0};

    /// Errors: an expression that fails, or an extent below 1 or above 2^31 - 1 (named);
    /// `lkt.launch.extent`.
    [[nodiscard]] result<launch_dimensions> evaluate(expression_scope const& scope) const;
    friend bool operator==(launch_formula const&, launch_formula const&) = default;
};

} // namespace lkt
