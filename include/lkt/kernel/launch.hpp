// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// The extents of a block in x, y and z.
using block_formula = std::array<expression, 3>;

/// The geometry of a kernel that covers `extents` elements (x, y, z; 1 to 3 of them). An axis
/// without an entry in `block` has extent 1. `divisors` holds further divisors for each axis: the
/// number of elements that a thread computes. `geometry_over({"N"}, {"BLOCK"}, {{"ITEMS"}})` is
/// grid `ceil_div(N, (BLOCK) * (ITEMS))`, block `BLOCK`. Errors: no or more than three extents,
/// more blocks or divisors than extents.
[[nodiscard]] result<launch_formula>
geometry_over(std::span<expression const> extents,
              std::span<expression const> block,
              std::span<std::vector<expression> const> divisors = {});

/// The geometry if the user gives none: block extents are the parameters called `block_size_x`,
/// `BLOCK_SIZE_X`, `block_x` or `BLOCK_X` (y and z in the same way; in x also `BLOCK_SIZE`,
/// `BLOCK`, `block_size` or `block`), else 256, 16 x 16 or 8 x 8 x 8. `extents` names 1 to 3 sizes.
/// A block that the text fixes (`fixed_block`) takes precedence.
[[nodiscard]] result<launch_formula>
default_geometry(std::span<std::string const> extents,
                 std::span<tunable_parameter const> parameters,
                 std::optional<block_formula> const& fixed = {});

/// The geometry if the user gives none: one thread an element of the first three sizes, blocks as
/// `default_geometry` says. Without a size it is one block.
[[nodiscard]] launch_formula
default_launch(std::vector<std::pair<std::string, std::int64_t>> const& size,
               std::span<tunable_parameter const> parameters,
               std::optional<block_formula> const& fixed = {});

/// `launch` with another block, and a grid that covers what it covered: `ceil_div(N, 64)` becomes
/// `ceil_div(N, 128)`; of any other grid the number of threads is kept, rounded up. Errors: the
/// formula becomes too long.
[[nodiscard]] result<launch_formula> with_block(launch_formula const& launch,
                                                block_formula const& block);

} // namespace lkt
