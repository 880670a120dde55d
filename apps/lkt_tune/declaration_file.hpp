// SPDX-License-Identifier: BSL-1.0
// `--declare FILE`: the problem, as a model completed it.
#pragma once

#include "declare.hpp"

#include <optional>

namespace lkt_tune {

/// A problem file names its kernel relative to itself, which is better said before anybody is
/// asked.
[[nodiscard]] std::optional<lkt::error> declaration_misplaced(options const& o,
                                                              lkt::problem const& task);

/// Writes it, and says what the model declared.
[[nodiscard]] std::optional<lkt::error> write_problem(options const& o,
                                                      lkt::problem const& task,
                                                      std::optional<declaration> const& declared);

} // namespace lkt_tune
