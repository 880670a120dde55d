// SPDX-License-Identifier: BSL-1.0
// The files that a command line writes.
#pragma once

#include "options.hpp"

#include <lkt/core/error.hpp>

#include <optional>

namespace lkt_tune {

/// What would be lost: two outputs in one file, an output in a file that is read, a declaration in
/// a file that exists (without `--force`).
[[nodiscard]] std::optional<lkt::error> overwritten(options const& o);
/// The same for the files that the problem names.
[[nodiscard]] std::optional<lkt::error> overwritten(options const& o, lkt::problem const& task);

/// Nobody should wait for a result that cannot be written afterwards.
[[nodiscard]] std::optional<lkt::error> outputs_blocked(options const& o);

/// The report goes to standard output unless something else does.
[[nodiscard]] bool reports_to_standard_output(options const& o);

} // namespace lkt_tune
