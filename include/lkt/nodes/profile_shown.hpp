// SPDX-License-Identifier: BSL-1.0
// Profiles of the kernels that prompts are about to show.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <string_view>
#include <vector>

namespace lkt {

/// Kernels of a strategy that keeps several, besides the best one and the original.
struct kept_kernels {
    std::vector<tuned_kernel*> shown;  ///< the model is asked to rewrite these next
    std::vector<tuned_kernel*> others; ///< what is known of one of these is not measured again
};

namespace detail {

[[nodiscard]] result<void>
profile_shown(state_ref const& s, tools_ref const& tools, gpu_ref gpu, kept_kernels const& kernels);

} // namespace detail

/// Profiles each kernel that `Kernels` says is shown, unless its profile is known or the run does
/// without (`evaluation_options::profile`), so that a prompt tells of the kernel in it, whether or
/// not that is the best one. Writes the profiles, and into `notes` what keeps a kernel from having
/// one: then none is profiled any more in this run. Errors: only what keeps a run that goes on
/// from having its device. Cost: a profile of each that has none.
///
/// A node of its own between choosing kernels and asking for rewrites, so that profiles are saved
/// before the model is asked. `Kernels` is callable: `kept_kernels(State&)`.
template <class Kernels>
struct profile_shown_fn {
    static constexpr std::string_view name = "profile";

    template <tuning_fields S, tools_with_gpu Tools>
    auto operator()(S& s, Tools& tools) const -> result<void> {
        return detail::profile_shown(
            detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu), Kernels{}(s));
    }
};

} // namespace lkt
