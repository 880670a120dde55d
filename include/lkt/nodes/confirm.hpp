// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

enum class confirmed {
    faster, ///< the best kernel is verified once more, and faster than the original
    same,   ///< the best kernel is the original, from the start or from now on
};

namespace detail {
[[nodiscard]] result<confirmed> confirm(state_ref const& s, tools_ref const& tools, gpu_ref gpu);
} // namespace detail

/// The last word on a run: the best kernel is verified again and timed side by side with the
/// original. One that is wrong now or no longer faster gives way to the original, with a note.
/// Writes `baseline`, `best` and `notes`.
inline constexpr auto confirm =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<confirmed> {
    return detail::confirm(detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu));
};

} // namespace lkt
