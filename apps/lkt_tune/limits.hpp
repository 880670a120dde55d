// SPDX-License-Identifier: BSL-1.0
// What a run may take: time, calls of models, money.
#pragma once

#include "options.hpp"

#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace lkt_tune {

/// `90s`, `10m`, `2h`, `1h30m`, `1.5h`, `2d`. Errors: usage.
[[nodiscard]] lkt::result<lkt::seconds> duration_of(std::string_view option,
                                                    std::string const& text);

/// Which limit ended the run or left something out, as an error that says how to go on; nothing if
/// none did.
[[nodiscard]] std::optional<lkt::error>
limit_reached(options const& o, lkt::tuning_outcome const& outcome, bool saved);

/// A warning that `--budget` left configurations untried; nothing if it did not.
[[nodiscard]] std::optional<std::string> left_out_by_budget(options const& o,
                                                            lkt::tuning_outcome const& outcome);

/// `--budget 200`, `--budget 10%`
[[nodiscard]] std::string budget_text(lkt::search_budget const& budget);

} // namespace lkt_tune
