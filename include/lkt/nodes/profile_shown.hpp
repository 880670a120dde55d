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

/// Profiles each kernel in `Kernels`, unless its profile is known or profiles are off
/// (`evaluation_options::profile`), so that a prompt describes the kernel that it shows, even if
/// that is not the best one. Writes the profiles. If a kernel cannot be profiled, writes the reason
/// into `notes` and profiles no more in this run. Errors: only those of reopening the device in a
/// resumed run. Cost: one profile for each kernel without one.
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
