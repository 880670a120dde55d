// SPDX-License-Identifier: BSL-1.0
// Scalar arguments whose values follow from the sizes, in launch formulas.
#pragma once

#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace lkt {

/// The formula where names of such arguments are replaced by their values: `ceil_div(n, 64)` by
/// `ceil_div(ProblemSize[0], 64)`. A size or one of `parameters` with the same name comes first.
[[nodiscard]] launch_formula over_sizes(launch_formula const& of,
                                        problem const& task,
                                        std::span<tunable_parameter const> parameters);

/// The other way round, for people: each size is replaced by the argument that has its value, if
/// there is one.
[[nodiscard]] launch_formula over_scalars(launch_formula const& of,
                                          problem const& task,
                                          std::span<tunable_parameter const> parameters);

/// A name for a size that is one in C++, too: its own, or that of an argument with its value; empty
/// if there is none.
[[nodiscard]] std::string identifier_of_size(problem const& task, std::size_t size);

} // namespace lkt
