// SPDX-License-Identifier: BSL-1.0
// lkt-scan space: the instances of Composable Kernel in runs, as spaces.
#pragma once

#include "options.hpp"

#include <lkt/scan/scan_table.hpp>

namespace lkt_scan {

/// Prints the parameters of the instances in measured rows, which values the best of them have, and
/// with --compile what the compiler makes of them. Returns the program's status.
[[nodiscard]] lkt::result<int> show_spaces_of(lkt::scan_table const& table, options const& o);

} // namespace lkt_scan
