// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/sanitizer_run.hpp>
#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>

#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::cuda_detail {

namespace sanitizer_parts {

/// What one tool made of a kernel.
struct watched_run {
    result<run_outcome> outcome;
    sanitizer_log log;
};

watched_run watch(sanitizer_settings const& how,
                  std::string const& tool,
                  std::string const& log,
                  compiled_kernel const& kernel,
                  run_request const& request,
                  call_context const& context) {
    watched_launch launch{sanitizer_command(how.program, tool, log), how.device, how.worker};
    launch.unfilled = tool == "initcheck";
    watched_run done{launch_under(launch, kernel, request, context), {}};
    done.log = read_sanitizer_log(text_of_file(log));
    return done;
}

/// Why a tool that found nothing has not looked everywhere; nothing where it has.
std::optional<std::string> shortcoming(watched_run const& w) {
    std::string why;
    if (!w.outcome)
        why = w.outcome.error().message;
    else if (auto const* const f = std::get_if<failure>(&*w.outcome))
        why = "the launch failed under it alone: " + describe(*f);
    else if (!w.log.complete)
        why = "its log has no summary";
    else if (w.log.errors > 0)
        why =
            "it counts " + std::to_string(w.log.errors) + " errors that do not concern the kernel";
    else
        return std::nullopt;
    if (!w.log.complaints.empty()) why += "; it says: " + w.log.complaints.front();
    return why;
}

} // namespace sanitizer_parts

bool side_by_side(run_request const& request) {
    constexpr std::size_t most = std::size_t{256} << 20;
    std::size_t bytes = 0;
    for (argument_data const& a : request.arguments) bytes += a.bytes.size();
    return bytes <= most;
}

bool has_own_barriers(std::string_view text) {
    for (std::string_view const word : {"bar.sync",
                                        "bar.arrive",
                                        "bar.red",
                                        "barrier.sync",
                                        "barrier.cta",
                                        "mbarrier",
                                        "cp.async.bulk",
                                        "cuda::barrier",
                                        "cuda::pipeline",
                                        "NamedBarrier",
                                        "<cute/",
                                        "<cutlass/"})
        if (text.find(word) != text.npos) return true;
    return false;
}

result<run_outcome> run_sanitized(sanitizer_settings const& how,
                                  compiled_kernel const& kernel,
                                  run_request const& request,
                                  call_context const& context) {
    using namespace sanitizer_parts;
    private_folder const folder("lkt-sanitizer");
    if (folder.path().empty())
        return error{condition::unavailable,
                     "lkt.cuda.sanitizer",
                     "cannot create a folder for the sanitizer's log",
                     "set TMPDIR to a writable folder"};
    run_request small = single_launch(request);
    run_request fetching = small;
    if (!request.keep.empty()) fetching.keep = {0};
    std::vector<std::future<watched_run>> running;
    for (std::string const& tool : how.tools)
        running.push_back(started(side_by_side(request), [&, tool]() -> watched_run {
            // To copy an output that is not all written is an uninitialised read, too.
            return watch(how,
                         tool,
                         folder.path() + "/" + tool + ".log",
                         kernel,
                         tool == "initcheck" ? small : fetching,
                         context);
        }));
    run_report report;
    std::string missed, clean;
    for (std::size_t k = 0; k < how.tools.size(); ++k) {
        std::string const& tool = how.tools[k];
        auto const ran = running[k].get();
        if (!ran.outcome && (ran.outcome.error().kind == condition::cancelled ||
                             ran.outcome.error().kind == condition::rejected))
            return ran.outcome.error();
        if (auto found = verdict_of(ran.log)) {
            if (!how.own_barriers || (tool != "racecheck" && tool != "synccheck"))
                return run_outcome(std::move(*found));
            missed += (missed.empty() ? "" : "; ") + tool +
                      ", which does not know all of the kernel's " +
                      "barriers, reports: " + ran.log.findings.front().what;
            continue;
        }
        if (auto const why = shortcoming(ran)) {
            missed += (missed.empty() ? "" : "; ") + tool + ": " + *why;
            continue;
        }
        clean += (clean.empty() ? "" : ", ") + tool;
        auto const& now = std::get<run_report>(*ran.outcome);
        if (report.samples.empty() || report.kept.empty()) report = now;
    }
    if (!missed.empty()) {
        missed = "compute-sanitizer could not finish its work (" + missed + ")";
        if (clean.empty())
            return error{condition::unavailable,
                         "lkt.cuda.sanitizer",
                         std::move(missed),
                         "check whether it is as new as the driver and supports the device"};
        report.unchecked = missed + "; nothing was found by " + clean;
    }
    // Under initcheck alone no output came back.
    if (report.kept.empty() && !request.keep.empty()) report.kept = {{0, true, {}}};
    for (auto& kept : report.kept) kept.launch = request.keep.front();
    report.timing = "under compute-sanitizer: " + clean;
    return run_outcome(std::move(report));
}

} // namespace lkt::cuda_detail
