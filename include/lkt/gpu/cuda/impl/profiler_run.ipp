// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/profiler_run.hpp>
#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/evidence.hpp>
#include <lkt/gpu/cuda/profiler.hpp>

#include <utility>
#include <variant>

namespace lkt::cuda_detail {

namespace profiler_parts {

error no_folder() {
    return {condition::unavailable,
            "lkt.cuda.profiler",
            "cannot create a folder for the profiler's log",
            "set TMPDIR to a writable folder"};
}

/// One launch under the tool, whose output goes to `file`.
result<run_outcome> launch_with(profiler_settings const& how,
                                std::vector<std::string> command,
                                compiled_kernel const& kernel,
                                run_request const& request,
                                call_context const& context) {
    run_request one = single_launch(request);
    one.time_limit = how.limit;
    watched_launch const launch{
        std::move(command), how.device, how.worker, how.limit, std::chrono::seconds{5}};
    return launch_under(launch, kernel, {&one, 1}, context).front();
}

/// Errors that are not the tool's.
bool ends_it(result<run_outcome> const& ran) {
    return !ran &&
           (ran.error().kind == condition::cancelled || ran.error().kind == condition::rejected);
}

/// Why there is nothing to read: of the launch alone, or of the tool.
error nothing_from(result<run_outcome> const& ran, profiler_log const& log) {
    auto const* const failed = ran ? std::get_if<failure>(&*ran) : nullptr;
    if (failed != nullptr && log.complaints.empty() && !std::holds_alternative<timed_out>(*failed))
        return error{condition::transient,
                     "lkt.cuda.profiler",
                     "the launch fails only under Nsight Compute: " + describe(*failed),
                     {}};
    return no_profile(log,
                      !ran                ? ran.error().message
                      : failed != nullptr ? describe(*failed)
                                          : "its table has no row of numbers");
}

/// The first launch that `wanted` accepts.
template <class Wanted>
result<profiled_launch> first_launch(profiler_settings const& how,
                                     std::vector<std::string>& metrics,
                                     compiled_kernel const& kernel,
                                     run_request const& request,
                                     call_context const& context,
                                     Wanted const& wanted) {
    private_folder const folder("lkt-profiler");
    if (folder.path().empty()) return no_folder();
    // Each try that names unknown metrics leaves fewer to ask for.
    while (true) {
        std::string const file =
            folder.path() + "/" + std::to_string(metrics.size()) + "-metrics.csv";
        auto const ran = launch_with(
            how, profiler_command(how.program, metrics, file), kernel, request, context);
        if (ends_it(ran)) return ran.error();
        auto log = read_profiler_log(text_of_file(file));
        if (ran && std::holds_alternative<run_report>(*ran) && !log.launches.empty() &&
            wanted(log.launches.front()))
            return std::move(log.launches.front());
        auto const unknown = unknown_metrics(log, metrics);
        for (std::string const& name : unknown) std::erase(metrics, name);
        if (unknown.empty() || metrics.empty()) return nothing_from(ran, log);
    }
}

} // namespace profiler_parts

result<kernel_profile> run_profiled(profiler_settings const& how,
                                    std::vector<std::string>& metrics,
                                    compiled_kernel const& kernel,
                                    run_request const& request,
                                    call_context const& context) {
    auto const launch = profiler_parts::first_launch(
        how, metrics, kernel, request, context, [](profiled_launch const& one) {
            return !(profile_of(one) == kernel_profile{});
        });
    if (!launch) return launch.error();
    return profile_of(*launch);
}

result<profiled_launch> run_counted(profiler_settings const& how,
                                    std::vector<std::string>& metrics,
                                    compiled_kernel const& kernel,
                                    run_request const& request,
                                    call_context const& context) {
    auto const asked = metrics.size();
    auto made = profiler_parts::first_launch(
        how, metrics, kernel, request, context, [](profiled_launch const& one) {
            return !one.metrics.empty();
        });
    // A device that knows none of them has a profiler all the same.
    if (!made && metrics.empty() && asked > 0) return profiled_launch{};
    return made;
}

result<std::string> run_sampled(profiler_settings const& how,
                                compiled_kernel const& kernel,
                                run_request const& request,
                                call_context const& context) {
    private_folder const folder("lkt-profiler");
    if (folder.path().empty()) return profiler_parts::no_folder();
    std::string const file = folder.path() + "/samples.csv";
    auto const ran = profiler_parts::launch_with(
        how, sampling_command(how.program, file), kernel, request, context);
    if (profiler_parts::ends_it(ran)) return ran.error();
    std::string table = text_of_file(file);
    if (ran && std::holds_alternative<run_report>(*ran) && !read_samples(table).empty())
        return table;
    // Where counters work, sampling may still not.
    auto why = profiler_parts::nothing_from(ran, read_profiler_log(table));
    why.kind = condition::transient;
    return why;
}

} // namespace lkt::cuda_detail
