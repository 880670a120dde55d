// SPDX-License-Identifier: BSL-1.0
// The profile of a kernel that worked.
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/rebuild.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

/// How the note begins that says why a run has no profiles. It is also what a run that goes on
/// knows of a profiler that failed.
inline constexpr std::string_view no_profiles = "kernels are not profiled: ";

/// Whether a kernel is to be profiled that the model will be shown.
[[nodiscard]] inline bool
wants_profile(state_ref const& s, tools_ref const& tools, tuned_kernel const& k) {
    return tools.options.profile != profiling::never && !k.profile && !tools.must_end() &&
           std::none_of(s.notes.begin(), s.notes.end(), [](std::string const& note) {
               return note.starts_with(no_profiles);
           });
}

/// One launch of a kernel on the timed test, of which no output is kept. `why` draws the poison.
[[nodiscard]] inline run_request
launch_to_look_at(state_ref const& s, tools_ref const& tools, trial const& built, char const* why) {
    run_request request;
    request.dimensions = built.dimensions;
    request.arguments = s.tests.tests.front().test.arguments;
    request.directions = s.tests.directions;
    request.keep = {};
    request.poison_seed = drawn(secret_of(tools.options.seed), why);
    return request;
}

/// What the device's counters say of a launch of a kernel on the timed test.
[[nodiscard]] inline result<kernel_profile> take_profile(state_ref const& s,
                                                         tools_ref const& tools,
                                                         gpu_ref gpu,
                                                         tuned_kernel const& k,
                                                         char const* which) {
    auto const declared = find_kernel(k.kernel.source, s.task.signature.name);
    if (!declared) return declared.error();
    evaluation const e(setup_of(s, tools, gpu));
    auto const built = rebuild(e, k, *declared, which);
    if (!built) return built.error();
    return gpu.profile(
        built->compiled, launch_to_look_at(s, tools, *built, "profile"), tools.context);
}

/// Profiles a kernel, `which` in words, unless its profile is known or the run does without. What
/// keeps it from that is a note, and the end of profiling in this run: a profile is a help and
/// never a reason to lose what was found, or seconds each time.
inline void profile_kernel(
    state_ref const& s, tools_ref const& tools, gpu_ref gpu, tuned_kernel& k, char const* which) {
    if (!wants_profile(s, tools, k)) return;
    auto const give_up = [&](std::string const& why) {
        s.notes.push_back(std::string(no_profiles) + why);
    };
    if (!gpu.can_profile()) {
        if (tools.options.profile == profiling::always) give_up("this back end has no profiler");
        return;
    }
    tools.report_progress(s, activity::profiling);
    auto found = take_profile(s, tools, gpu, k, which);
    if (found)
        k.profile = *std::move(found);
    else if (error const& e = found.error(); e.kind != condition::cancelled)
        give_up(e.message + (e.hint.empty() ? "" : "; " + e.hint));
}

inline void profile_best(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    profile_kernel(s, tools, gpu, s.best, "the best kernel so far");
}

} // namespace lkt::detail
