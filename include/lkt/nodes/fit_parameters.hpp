// SPDX-License-Identifier: BSL-1.0
// The parameters of a step's candidate, within a budget.
#pragma once

#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lkt {

namespace detail {
void fit_parameters(state_ref const& s, step_ledger const& l, std::size_t most);
} // namespace detail

/// Between `propose` and `evaluate`: gives the proposal the parameters of the selected step, as far
/// as it makes use of them, and holds its configurations to `Most`, and to what the evaluation
/// takes (`max_configurations`). Writes `proposal` and its record in `history`, whose notes say
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
template <std::size_t Most = 200>
struct fit_parameters_fn {
    static_assert(
        Most > 0,
        "[lkt.nodes.configurations] fit_parameters_fn<Most> needs room for a configuration");
    static constexpr std::string_view name = "fit_parameters";

    template <step_list_fields S, class Tools>
    auto operator()(S& s, Tools& tools) const -> void {
        auto const options = detail::tools_ref(tools).options;
        detail::fit_parameters(
            detail::state_ref(s), s.ledger, std::min(Most, options.max_configurations));
    }
};
inline constexpr fit_parameters_fn<> fit_parameters{};

} // namespace lkt
