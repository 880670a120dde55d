// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/sanitizer_run.hpp>
#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>

#include <cstddef>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::cuda_detail {

namespace sanitizer_parts {

/// What one tool made of a kernel.
struct watched_run {
    std::vector<result<run_outcome>> outcomes; ///< up to the first that failed
    sanitizer_log log;
};

watched_run watch(sanitizer_settings const& how,
                  std::string const& tool,
                  std::string const& log,
                  compiled_kernel const& kernel,
                  std::span<run_request const> requests,
                  call_context const& context) {
    watched_launch launch{sanitizer_command(how.program, tool, log), how.device, how.worker};
    launch.unfilled = tool == "initcheck";
    watched_run done{launch_under(launch, kernel, requests, context), {}};
    done.log = read_sanitizer_log(text_of_file(log));
    return done;
}

/// Why a tool that found nothing has not looked everywhere; nothing where it has.
std::optional<std::string> shortcoming(watched_run const& w) {
    std::string why;
    auto const& last = w.outcomes.back();
    if (!last)
        why = last.error().message;
    else if (auto const* const f = std::get_if<failure>(&*last))
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

/// What all tools made of all launches.
struct watched_runs {
    std::optional<failure> found;
    std::optional<error> error_of_all;
    std::string missed, clean;       ///< tools
    std::vector<run_report> reports; ///< of the first tool that was clean and fetched outputs
};

watched_runs watch_all(sanitizer_settings const& how,
                       compiled_kernel const& kernel,
                       std::span<run_request const> requests,
                       call_context const& context) {
    watched_runs all;
    private_folder const folder("lkt-sanitizer");
    if (folder.path().empty()) {
        all.error_of_all = error{condition::unavailable,
                                 "lkt.cuda.sanitizer",
                                 "cannot create a folder for the sanitizer's log",
                                 "set TMPDIR to a writable folder"};
        return all;
    }
    std::vector<run_request> small, fetching;
    for (run_request const& request : requests) {
        small.push_back(single_launch(request));
        fetching.push_back(small.back());
        if (!request.keep.empty()) fetching.back().keep = {0};
    }
    std::vector<std::future<watched_run>> running;
    for (std::string const& tool : how.tools)
        running.push_back(started(side_by_side(requests), [&, tool]() -> watched_run {
            // To copy an output that is not all written is an uninitialised read, too.
            return watch(how,
                         tool,
                         folder.path() + "/" + tool + ".log",
                         kernel,
                         tool == "initcheck" ? small : fetching,
                         context);
        }));
    for (std::size_t k = 0; k < how.tools.size(); ++k) {
        std::string const& tool = how.tools[k];
        auto const ran = running[k].get();
        auto const& last = ran.outcomes.back();
        if (!last && (last.error().kind == condition::cancelled ||
                      last.error().kind == condition::rejected)) {
            all.error_of_all = last.error();
            return all;
        }
        if (auto found = verdict_of(ran.log)) {
            if (!how.own_barriers || (tool != "racecheck" && tool != "synccheck")) {
                all.found = std::move(*found);
                return all;
            }
            all.missed += (all.missed.empty() ? "" : "; ") + tool +
                          ", which does not know all of the kernel's barriers, reports: " +
                          ran.log.findings.front().what;
            continue;
        }
        if (auto const why = shortcoming(ran)) {
            all.missed += (all.missed.empty() ? "" : "; ") + tool + ": " + *why;
            continue;
        }
        all.clean += (all.clean.empty() ? "" : ", ") + tool;
        if (!all.reports.empty() && tool == "initcheck") continue; // it has no outputs
        if (!all.reports.empty() && !all.reports.front().kept.empty()) continue;
        all.reports.clear();
        for (auto const& one : ran.outcomes) all.reports.push_back(std::get<run_report>(*one));
    }
    return all;
}

} // namespace sanitizer_parts

bool side_by_side(std::span<run_request const> requests) {
    constexpr std::size_t most = std::size_t{256} << 20;
    std::size_t bytes = 0;
    for (run_request const& request : requests)
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

std::vector<result<run_outcome>> run_sanitized(sanitizer_settings const& how,
                                               compiled_kernel const& kernel,
                                               std::span<run_request const> requests,
                                               call_context const& context) {
    using namespace sanitizer_parts;
    std::vector<result<run_outcome>> outcomes;
    if (requests.empty()) return outcomes;
    auto all = watch_all(how, kernel, requests, context);
    auto const for_all = [&](result<run_outcome> const& what) {
        outcomes.assign(requests.size(), what);
        return std::move(outcomes);
    };
    bool const cancelled = all.error_of_all && all.error_of_all->kind == condition::cancelled;
    // What one launch made of all tools says nothing of the others.
    bool const apart = all.found || all.error_of_all || (all.clean.empty() && !all.missed.empty());
    if (requests.size() > 1 && apart && !cancelled) {
        for (run_request const& one : requests)
            outcomes.push_back(run_sanitized(how, kernel, {&one, 1}, context).front());
        return outcomes;
    }
    if (all.error_of_all) return for_all(*all.error_of_all);
    if (all.found) return for_all(run_outcome(std::move(*all.found)));
    std::string unchecked;
    if (!all.missed.empty()) {
        unchecked = "compute-sanitizer could not finish its work (" + all.missed + ")";
        if (all.clean.empty())
            return for_all(error{condition::unavailable,
                                 "lkt.cuda.sanitizer",
                                 std::move(unchecked),
                                 "check whether it is as new as the driver and supports the "
                                 "device"});
        unchecked += "; nothing was found by " + all.clean;
    }
    all.reports.resize(requests.size());
    for (std::size_t k = 0; k < requests.size(); ++k) {
        run_report& report = all.reports[k];
        report.unchecked = unchecked;
        // Under initcheck alone no output came back.
        if (report.kept.empty() && !requests[k].keep.empty()) report.kept = {{0, true, {}}};
        for (auto& kept : report.kept) kept.launch = requests[k].keep.front();
        report.timing = "under compute-sanitizer: " + all.clean;
        outcomes.push_back(run_outcome(std::move(report)));
    }
    return outcomes;
}

} // namespace lkt::cuda_detail
