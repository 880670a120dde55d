// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/ending.hpp>

#include <variant>

namespace lkt::detail {

ending ending_of(attempt_record const& a) {
    if (std::holds_alternative<improvement>(a.outcome)) return ending::improved;
    return std::holds_alternative<no_improvement>(a.outcome) ? ending::correct : ending::nothing;
}

ending ending_of(rejected_attempt const& a) {
    return std::holds_alternative<no_improvement>(a.why) ? ending::correct : ending::nothing;
}

} // namespace lkt::detail
