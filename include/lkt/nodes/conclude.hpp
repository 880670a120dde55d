// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <vector>

namespace lkt {

enum class concluded {
    correct, ///< one of the step's attempts computed the right results
    nothing, ///< none did
};

namespace detail {
[[nodiscard]] concluded conclude(std::vector<setback> const& attempts);
} // namespace detail

/// What a step without success came to, told from its attempts.
inline constexpr auto conclude = []<tuning_fields S>(S& s) -> concluded {
    return detail::conclude(s.attempts);
};

} // namespace lkt
