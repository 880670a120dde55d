// SPDX-License-Identifier: BSL-1.0
// What the words of a command line mean: names, numbers with units, percentages.
#pragma once

#include "option_table.hpp"

#include <boost/program_options/variables_map.hpp>

#include <optional>

namespace lkt_tune {

/// Reads into `o` what `f` has as words, and what counts only where it was given. Errors: usage.
[[nodiscard]] std::optional<lkt::error>
take_values(options& o, flags const& f, boost::program_options::variables_map const& seen);

/// That an option which takes one of some names was given another.
[[nodiscard]] lkt::error
unknown_value(char const* option, std::string const& given, char const* known);

} // namespace lkt_tune
