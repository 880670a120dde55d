// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "options.hpp"
#include "saved.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// Tunes the kernel of a command line, or says what it would do. `words`: that command line;
/// `saved`: the run that goes on. Returns the program's status.
[[nodiscard]] int run(options const& o,
                      std::vector<std::string> const& words,
                      std::optional<saved_run> saved = std::nullopt);

} // namespace lkt_tune
