// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/quantity.hpp>

#include <cmath>

namespace lkt {

namespace detail::core {

inline std::string with_prefix(double count, std::string_view unit) {
    if (std::isnan(count)) return "unknown";
    double scale = 1;
    std::string_view prefix;
    if (double const a = std::fabs(count); std::isfinite(a))
        // The thresholds lie where four digits would round up into the next prefix.
        for (std::string_view const next : {"k", "M", "G", "T", "P", "E"}) {
            if (a < scale * 999.95) break;
            scale *= 1000;
            prefix = next;
        }
    return significant(count / scale) + ' ' + std::string(prefix) + std::string(unit);
}

} // namespace detail::core

std::string to_string(flop_count q) { return detail::core::with_prefix(q.count(), "FLOP"); }
std::string to_string(byte_count q) { return detail::core::with_prefix(q.count(), "B"); }
std::string to_string(flop_rate q) { return detail::core::with_prefix(q.count(), "FLOP/s"); }
std::string to_string(byte_rate q) { return detail::core::with_prefix(q.count(), "B/s"); }
std::string to_string(joules q) { return detail::core::with_prefix(q.count(), "J"); }
std::string to_string(watts q) { return detail::core::with_prefix(q.count(), "W"); }
std::string to_string(flop_per_joule q) { return detail::core::with_prefix(q.count(), "FLOP/J"); }
std::string to_string(flop_per_byte q) { return significant(q.count()) + " FLOP/B"; }

} // namespace lkt
