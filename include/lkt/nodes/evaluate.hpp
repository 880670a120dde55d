// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

enum class evaluated {
    faster, ///< the proposal is the best kernel now
    slower, ///< right, but not faster by more than the noise
    failed, ///< refused, not compiled, wrong, crashed, ...: see the last attempt
};

namespace detail {
[[nodiscard]] result<evaluated>
evaluate(state_ref const& s, tools_ref const& tools, gpu_ref gpu, search_ref policy);
} // namespace detail

/// Judges `proposal`: each of its configurations is compiled, checked against the limits, verified
/// on every test and timed; the fastest few are measured again side by side with the best kernel so
/// far; the fastest of these that passes checked mode becomes the best if it is faster by more than
/// the noise. Writes `best`, `history`, and `attempts` unless it was faster. A kernel that was
/// judged before in this run, under the same conditions, keeps its verdict. Cost: one compilation,
/// one run per test and a few launches for each configuration.
inline constexpr auto evaluate =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<evaluated> {
    return detail::evaluate(detail::state_ref(s),
                            detail::tools_ref(tools),
                            gpu_ref(tools.gpu),
                            detail::search_of(tools));
};

} // namespace lkt
