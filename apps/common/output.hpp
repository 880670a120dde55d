// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <optional>
#include <string>

namespace lkt_apps {

/// To a file, or to standard output for `-`.
[[nodiscard]] std::optional<lkt::error> write_output(std::string const& file,
                                                     std::string const& text);

/// To standard error, as plain text: all that both programs say there, besides their progress.
void say(std::string const& text, char const* end = "\n");

} // namespace lkt_apps
