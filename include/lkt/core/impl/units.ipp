// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>

#include <cmath>
#include <cstdio>
#include <iterator>

namespace lkt {

std::string significant(double value) {
    char text[32];
    int const n = std::snprintf(text, sizeof text, "%.4g", value);
    return std::string(text, static_cast<std::size_t>(n));
}

std::string to_string(seconds t) {
    double const s = t.count();
    if (!std::isfinite(s)) return std::isnan(s) ? "unknown" : s < 0 ? "-inf s" : "inf s";
    double const a = std::fabs(s);
    // The thresholds lie where four digits would round up into the next unit.
    if (a == 0) return "0 s";
    if (a < 999.95e-9) return significant(s * 1e9) + " ns";
    if (a < 999.95e-6) return significant(s * 1e6) + " us";
    if (a < 999.95e-3) return significant(s * 1e3) + " ms";
    return significant(s) + " s";
}

std::string to_string(bytes b) {
    constexpr char const* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(b.count);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(units)) {
        value /= 1024;
        ++unit;
    }
    return significant(value) + " " + units[unit];
}

} // namespace lkt
