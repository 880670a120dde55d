// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <optional>
#include <string>

namespace lkt_apps {

/// To a file, or to standard output for `-`.
[[nodiscard]] std::optional<lkt::error> write_output(std::string const& file,
                                                     std::string const& text);

} // namespace lkt_apps
