// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/profile_shown.hpp>

#include <lkt/nodes/detail/profiling.hpp>

#include <algorithm>

namespace lkt::detail {

result<void> profile_shown(state_ref const& s,
                           tools_ref const& tools,
                           gpu_ref gpu,
                           kept_kernels const& kernels) {
    std::vector<tuned_kernel const*> known{&s.best, &s.baseline};
    known.insert(known.end(), kernels.shown.begin(), kernels.shown.end());
    known.insert(known.end(), kernels.others.begin(), kernels.others.end());
    for (tuned_kernel* const k : kernels.shown) {
        if (!wants_profile(s, tools, *k)) continue;
        auto const duplicate =
            std::find_if(known.begin(), known.end(), [&](tuned_kernel const* other) {
                return other->profile && other->config == k->config && other->kernel == k->kernel;
            });
        if (duplicate != known.end()) {
            k->profile = (*duplicate)->profile;
            continue;
        }
        if (auto ok = tools.before_launches(s); !ok) return ok;
        profile_kernel(s, tools, gpu, *k, "a kernel that is to be rewritten");
    }
    return {};
}

} // namespace lkt::detail
