// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <string>

namespace lkt_tune {

inline constexpr char usage_code[] = "lkt.tune.usage";

[[nodiscard]] lkt::error usage(std::string message, std::string hint = "see lkt-tune --help");

/// Prints it. Returns the status of a program that ends with it.
int complain(lkt::error const& e);

} // namespace lkt_tune
