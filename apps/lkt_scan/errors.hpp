// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <string>

namespace lkt_scan {

inline constexpr char usage_code[] = "lkt.scan.usage";

[[nodiscard]] lkt::error usage(std::string message, std::string hint = "see lkt-scan --help");

/// Prints it. Returns the status of a program that ends with it.
int complain(lkt::error const& e);

/// Says in which file it is.
[[nodiscard]] lkt::error in_file(std::string const& file, lkt::error e);

} // namespace lkt_scan
