// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/profiler_run.hpp>
#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/profiler.hpp>

#include <utility>
#include <variant>

namespace lkt::cuda_detail {

result<kernel_profile> run_profiled(profiler_settings const& how,
                                    std::vector<std::string>& metrics,
                                    compiled_kernel const& kernel,
                                    run_request const& request,
                                    call_context const& context) {
    private_folder const folder("lkt-profiler");
    if (folder.path().empty())
        return error{condition::unavailable,
                     "lkt.cuda.profiler",
                     "cannot create a folder for the profiler's log",
                     "set TMPDIR to a writable folder"};
    run_request one = single_launch(request);
    one.time_limit = how.limit;
    // Each try that names unknown metrics leaves fewer to ask for.
    while (true) {
        std::string const file =
            folder.path() + "/" + std::to_string(metrics.size()) + "-metrics.csv";
        watched_launch const launch{profiler_command(how.program, metrics, file),
                                    how.device,
                                    how.worker,
                                    how.limit,
                                    std::chrono::seconds{5}};
        auto const ran = launch_under(launch, kernel, {&one, 1}, context).front();
        if (!ran &&
            (ran.error().kind == condition::cancelled || ran.error().kind == condition::rejected))
            return ran.error();
        auto const log = read_profiler_log(text_of_file(file));
        if (ran && std::holds_alternative<run_report>(*ran) && !log.launches.empty()) {
            auto found = profile_of(log.launches.front());
            if (!(found == kernel_profile{})) return found;
        }
        auto const unknown = unknown_metrics(log, metrics);
        for (std::string const& name : unknown) std::erase(metrics, name);
        if (!unknown.empty() && !metrics.empty()) continue;
        auto const* const failed = ran ? std::get_if<failure>(&*ran) : nullptr;
        if (failed != nullptr && log.complaints.empty() &&
            !std::holds_alternative<timed_out>(*failed))
            return error{condition::transient,
                         "lkt.cuda.profiler",
                         "the launch fails only under Nsight Compute: " + describe(*failed),
                         {}};
        return no_profile(log,
                          !ran                ? ran.error().message
                          : failed != nullptr ? describe(*failed)
                                              : "its table has no row of numbers");
    }
}

} // namespace lkt::cuda_detail
