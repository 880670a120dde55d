// SPDX-License-Identifier: BSL-1.0
// Options that do not go together, or have impossible values.
#pragma once

#include "options.hpp"

#include <boost/program_options/variables_map.hpp>

#include <optional>

namespace lkt_tune {

/// The first fault, as a usage error. Errors: those of a file that is named and cannot be read.
[[nodiscard]] std::optional<lkt::error> inconsistency(options const& o);

/// An option that means something only beside another one, which is not there.
[[nodiscard]] std::optional<lkt::error> misplaced(boost::program_options::variables_map const& seen,
                                                  options const& o);

} // namespace lkt_tune
