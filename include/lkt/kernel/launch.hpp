// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/expression.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// Extents in x, y and z.
struct dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    friend constexpr bool operator==(dim3, dim3) = default;
};

/// What one launch is given: blocks in the grid, threads in a block, dynamic shared memory.
struct launch_dimensions {
    dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    friend constexpr bool operator==(launch_dimensions, launch_dimensions) = default;
};

/// Launch geometry as expressions over problem size and tunable parameters. `grid` counts blocks:
/// with a grid divisor it reads `ceil_div(N, BLOCK * ELEMENTS_PER_THREAD)`.
struct launch_formula {
    std::array<expression, 3> grid{1, 1, 1};
    std::array<expression, 3> block{1, 1, 1};
    expression shared_bytes{0};

    /// Errors: an expression that fails, or an extent below 1 or above 2^31 - 1 (named);
    /// `lkt.launch.extent`.
    template <int = 0>
    [[nodiscard]] result<launch_dimensions> evaluate(expression_scope const& scope) const;
    friend bool operator==(launch_formula const&, launch_formula const&) = default;
};

/// `grid 32x32, block 16x16` (and `, 4096 B shared`).
template <int = 0>
[[nodiscard]] std::string to_string(launch_dimensions const& d);

/// The geometry of a kernel that covers `extents` elements (x, y, z; 1 to 3 of them). Where `block`
/// has no entry for an axis it is 1. `divisors` holds, for each axis, what besides the block's
/// extent divides the elements: how many of them a thread computes.
/// `geometry_over({"N"}, {"BLOCK"}, {{"ITEMS"}})` is grid `ceil_div(N, (BLOCK) * (ITEMS))`, block
/// `BLOCK`. Errors: no or more than three extents, more blocks or divisors than extents.
template <int = 0>
[[nodiscard]] result<launch_formula>
geometry_over(std::span<expression const> extents,
              std::span<expression const> block,
              std::span<std::vector<expression> const> divisors = {});

/// The geometry where the user gives none: block extents are the parameters called `block_size_x`,
/// `BLOCK_SIZE_X`, `block_x` or `BLOCK_X` (y and z alike; in x also `BLOCK_SIZE`, `BLOCK`,
/// `block_size` or `block`), else 256, 16 x 16 or 8 x 8 x 8. `extents` names 1 to 3 sizes.
template <int = 0>
[[nodiscard]] result<launch_formula>
default_geometry(std::span<std::string const> extents,
                 std::span<tunable_parameter const> parameters);

} // namespace lkt

#include <lkt/kernel/detail/geometry.hpp>
