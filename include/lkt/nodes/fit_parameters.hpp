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
/// as it uses them, and limits its configurations to `ledger.limits.max_configurations` and to the
/// limit of the evaluation. Writes `proposal` and its record in `history`, whose notes list the
/// changes.
///
/// The step's list of values replaces the model's. The value that the kernel uses now is added in
/// front if the list lacks it; for a block size that is the extent of the launch.
///
/// If there are too many configurations (only those that meet the restrictions count), the
/// parameters of earlier steps are narrowed, in their order and only as far as needed: first each
/// keeps its best value and its two neighbours, then only its best value. If that is not enough,
/// the longest list loses its last value until the rest fits. First values are never removed, and
/// at least one configuration remains.
inline constexpr auto fit_parameters = []<step_list_fields S, class Tools>(S& s,
                                                                           Tools& tools) -> void {
    detail::fit_parameters(detail::state_ref(s), s.ledger, detail::tools_ref(tools));
};

} // namespace lkt
