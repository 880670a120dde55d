// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace lkt::detail {

/// Four significant digits without trailing zeros.
[[nodiscard]] inline std::string short_number(double value) {
    char text[32];
    int const n = std::snprintf(text, sizeof text, "%.4g", value);
    return std::string(text, static_cast<std::size_t>(n));
}

} // namespace lkt::detail
