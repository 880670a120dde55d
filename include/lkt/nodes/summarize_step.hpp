// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <vector>

namespace lkt {

enum class step_summary {
    correct, ///< one of the step's attempts computed the right results
    nothing, ///< none did
};

namespace detail {
[[nodiscard]] step_summary summarize_step(std::vector<rejected_attempt> const& attempts);
} // namespace detail

/// What a step without success came to, told from its attempts.
inline constexpr auto summarize_step = []<tuning_fields S>(S& s) -> step_summary {
    return detail::summarize_step(s.attempts);
};

} // namespace lkt
