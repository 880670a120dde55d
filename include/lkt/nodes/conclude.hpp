// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <variant>

namespace lkt {

enum class concluded {
    correct, ///< one of the step's attempts computed the right results
    nothing, ///< none did
};

/// What a step without success came to, told from its attempts.
inline constexpr auto conclude = []<tuning_fields S>(S& s) -> concluded {
    bool const correct = std::any_of(s.attempts.begin(), s.attempts.end(), [](setback const& a) {
        return std::holds_alternative<no_improvement>(a.why);
    });
    return correct ? concluded::correct : concluded::nothing;
};

} // namespace lkt
