// SPDX-License-Identifier: BSL-1.0
// Sizes, values, configurations and launches in the words that prompts and reports use.
#pragma once

#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/problem.hpp>

#include <string>
#include <vector>

namespace lkt {

[[nodiscard]] std::string value_words(parameter_value const& value);

[[nodiscard]] std::string values_words(std::vector<parameter_value> const& values);

/// `TILE=16, ROWS=2`; empty without parameters.
[[nodiscard]] std::string configuration_words(configuration const& c);

/// `N=256, K=64`
[[nodiscard]] std::string size_words(problem_size const& size);

/// The formula in lines, one for grid, block and shared memory.
[[nodiscard]] std::string launch_words(launch_formula const& launch);

} // namespace lkt
