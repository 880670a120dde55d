// SPDX-License-Identifier: BSL-1.0
// The parameters of a step's candidate, within a budget.
#pragma once

#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/toolbox.hpp>

namespace lkt {

namespace detail {
void fit_parameters(state_ref const& s, step_ledger const& l, tools_ref const& tools);
} // namespace detail

/// Between `propose` and `evaluate`: gives the proposal the parameters of the selected step, as far
/// as it makes use of them, and holds its configurations to `ledger.limits.max_configurations`, and
/// to what the evaluation takes. Writes `proposal` and its record in `history`, whose notes say
/// what was changed.
///
/// The step's list of values replaces the model's. The value with which the kernel works now is
/// added in front where the list lacks it; for a block size that is the extent of the launch.
///
/// Where there are too many configurations (those that meet the restrictions count), the
/// parameters of earlier steps give way, in their order and only as far as needed: first each keeps
/// its best value and the two beside it, then its best value alone. If that is not enough, the
/// longest list loses its last value until the rest fits. A first value is never lost, and nothing
/// is narrowed to where no configuration is left.
inline constexpr auto fit_parameters = []<step_list_fields S, class Tools>(S& s,
                                                                           Tools& tools) -> void {
    detail::fit_parameters(detail::state_ref(s), s.ledger, detail::tools_ref(tools));
};

} // namespace lkt
