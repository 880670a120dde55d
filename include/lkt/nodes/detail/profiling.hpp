// SPDX-License-Identifier: BSL-1.0
// The profile of a kernel that has just become the best one.
#pragma once

#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/detail/bench.hpp>
#include <lkt/nodes/detail/finals.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lkt::detail {

/// What the device's counters say of a launch of the best kernel on the timed test.
[[nodiscard]] inline result<kernel_profile>
profile_of_best(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    auto const declared = find_kernel(s.best.kernel.source, s.task.signature.name);
    if (!declared) return declared.error();
    bench b(gpu, tools, s);
    auto const best = rebuild(b, s.best, *declared, "the best kernel so far");
    if (!best) return best.error();
    run_request request;
    request.dimensions = best->dimensions;
    request.arguments = s.tests.tests.front().test.arguments;
    request.directions = s.tests.directions;
    request.keep = {};
    request.poison_seed = tools.options.seed;
    return gpu.profile(best->compiled, request, tools.context);
}

/// Profiles the best kernel, unless it is known or the run does without. What keeps it from that is
/// a note, once: a profile is a help and never a reason to lose what was found.
inline void profile_best(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    if (tools.options.profile == profiling::never || s.best.profile || tools.must_end()) return;
    auto const tell = [&](std::string why) {
        why.insert(0, "kernels are not profiled: ");
        if (std::find(s.notes.begin(), s.notes.end(), why) == s.notes.end())
            s.notes.push_back(std::move(why));
    };
    if (!gpu.can_profile()) {
        if (tools.options.profile == profiling::always) tell("this back end has no profiler");
        return;
    }
    tools.report_progress(s, activity::profiling);
    auto found = profile_of_best(s, tools, gpu);
    if (found)
        s.best.profile = *std::move(found);
    else if (error const& e = found.error(); e.kind != condition::cancelled)
        tell(e.message + (e.hint.empty() ? "" : "; " + e.hint));
}

} // namespace lkt::detail
