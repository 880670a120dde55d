// SPDX-License-Identifier: BSL-1.0
// `--operations FOLDER`: this program once for each problem file of a folder, some of them at once.
#pragma once

#include "options.hpp"

#include <lkt/core/result.hpp>

#include <string>
#include <vector>

namespace lkt_tune {

/// Whether `--journal` of a batch was this folder.
[[nodiscard]] bool holds_batch(std::string const& folder);

/// Runs all operations, prints what came of them, and returns the status of the whole. Errors:
/// usage; those of files.
[[nodiscard]] lkt::result<int> begin_batch(options const& o, std::vector<std::string> const& words);

/// Goes on with what is missing, with the options of `words` in place of those that it was begun
/// with. Errors: as above, and usage where another process runs the batch.
[[nodiscard]] lkt::result<int> resume_batch(options const& o,
                                            std::vector<std::string> const& words);

} // namespace lkt_tune
