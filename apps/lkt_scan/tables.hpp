// SPDX-License-Identifier: BSL-1.0
// Results as tables: those of this scan, and those that earlier ones left in files.
#pragma once

#include "options.hpp"

#include <lkt/scan/scan_table.hpp>

#include <string>

namespace lkt_scan {

/// Writes what the command line asks for: CSV, a page, and `markdown`, which goes to standard
/// output where nothing else does. What cannot be written does not keep the rest from it. Returns
/// the program's status.
int write_tables(options const& o, lkt::scan_table const& table, std::string const& markdown);

/// lkt-scan compare, show and space. Each returns the program's status.
[[nodiscard]] lkt::result<int> compare_runs(options const& o);
[[nodiscard]] lkt::result<int> show_runs(options const& o);
[[nodiscard]] lkt::result<int> show_spaces(options const& o);

} // namespace lkt_scan
