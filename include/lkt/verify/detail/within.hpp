// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem.hpp>

#include <cmath>

namespace lkt::detail {

/// `within` for the loops over outputs: inline, since a call for each element costs a third more.
[[nodiscard]] inline bool element_within(tolerance bound, double expected, double got) {
    if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
    if (std::isinf(expected) || std::isinf(got)) return expected == got;
    return std::fabs(got - expected) <= bound.absolute + bound.relative * std::fabs(expected);
}

} // namespace lkt::detail
