// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "options.hpp"
#include "results.hpp"

namespace lkt_scan {

/// Adds the products of recorded output (`--from`) to the log, and says what of it could not be
/// read. Returns the program's status.
[[nodiscard]] lkt::result<int> import_output(options const& o, result_log& log);

} // namespace lkt_scan
