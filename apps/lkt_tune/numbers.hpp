// SPDX-License-Identifier: BSL-1.0
// The numbers that a command line says to a strategy: one flag each, for one strategy or several.
#pragma once

#include "strategies.hpp"

#include <lkt/core/error.hpp>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <optional>

namespace lkt_tune {

/// Adds a flag for each; the help has the defaults.
void describe_numbers(boost::program_options::options_description& to);

/// Takes those that were given. Errors (usage): one that is out of range, or for another strategy.
[[nodiscard]] std::optional<lkt::error>
read_numbers(boost::program_options::variables_map const& in,
             strategy_name strategy,
             strategy_numbers& numbers);

} // namespace lkt_tune
