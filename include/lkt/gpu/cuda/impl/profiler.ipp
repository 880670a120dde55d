// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/profiler.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace lkt::cuda_detail {

namespace profiler_parts {

struct known_metric {
    char const* name;
    kernel_profile::number kernel_profile::* to;
};
constexpr std::array<known_metric, 17> known_metrics{{
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", &kernel_profile::compute_percent},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", &kernel_profile::dram_percent},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", &kernel_profile::l2_percent},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", &kernel_profile::l1_percent},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", &kernel_profile::fp32_percent},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     &kernel_profile::tensor_percent},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", &kernel_profile::warps_percent},
    {"dram__bytes.sum", &kernel_profile::dram_bytes},
    {"l1tex__t_sector_hit_rate.pct", &kernel_profile::l1_hit_percent},
    {"lts__t_sector_hit_rate.pct", &kernel_profile::l2_hit_percent},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     &kernel_profile::load_sectors},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     &kernel_profile::store_sectors},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", &kernel_profile::bank_conflicts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", &kernel_profile::shared_wavefronts},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", &kernel_profile::local_load_sectors},
    {"sm__inst_issued.avg.per_cycle_active", &kernel_profile::issued_per_cycle},
    {"smsp__thread_inst_executed_per_inst_executed.ratio",
     &kernel_profile::threads_per_instruction},
}};

/// Reasons to wait that a change of the kernel can do something about.
constexpr std::array<char const*, 7> stall_reasons{"long_scoreboard",
                                                   "short_scoreboard",
                                                   "lg_throttle",
                                                   "mio_throttle",
                                                   "math_pipe_throttle",
                                                   "barrier",
                                                   "wait"};

std::string stall_metric(std::string const& reason) {
    return "smsp__warp_issue_stalled_" + reason + "_per_warp_active.pct";
}

/// What a value in a unit with a prefix is to be multiplied with.
double prefix_of(std::string_view unit) {
    for (std::string_view const plain : {"byte", "sector"}) {
        if (unit.size() != plain.size() + 1 || !unit.ends_with(plain)) continue;
        constexpr std::array<std::pair<char, double>, 4> prefixes{
            {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}};
        for (auto const& [letter, times] : prefixes)
            if (unit.front() == letter) return times;
    }
    return 1;
}

} // namespace profiler_parts

result<std::string> find_profiler(std::string const& given) {
    constexpr toolkit_program ncu{
        .name = "ncu",
        .variable = "LKT_NCU",
        .option = "cuda_options::profiler",
        .versions = "/opt/nvidia/nsight-compute",
        .code = "lkt.cuda.profiler",
        .absent = "ncu, NVIDIA's Nsight Compute, was not found",
        .hint = "install it (in the CUDA toolkit; NVIDIA's packages: cuda-nsight-compute-13-0), or "
                "set LKT_NCU to its file"};
    return find_program(ncu, given);
}

std::vector<std::string> profiler_metrics() {
    using namespace profiler_parts;
    std::vector<std::string> all;
    for (known_metric const& m : known_metrics) all.emplace_back(m.name);
    for (char const* const reason : stall_reasons) all.push_back(stall_metric(reason));
    return all;
}

std::vector<std::string> profiler_command(std::string const& program,
                                          std::vector<std::string> const& metrics,
                                          std::string const& log) {
    return {program,
            "--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--metrics",
            joined(metrics, ","),
            "--launch-count",
            "1",
            "--clock-control",
            "none",
            "--cache-control",
            "all",
            "--target-processes",
            "all",
            "--log-file",
            log};
}

std::vector<std::string> unknown_metrics(profiler_log const& log,
                                         std::vector<std::string> const& metrics) {
    constexpr std::string_view words = "Failed to find metric ", pattern = "regex:^";
    std::vector<std::string> unknown;
    for (std::string const& complaint : log.complaints) {
        auto const at = complaint.find(words);
        if (at == complaint.npos) continue;
        std::string_view named = std::string_view(complaint).substr(at + words.size());
        if (named.starts_with(pattern)) named.remove_prefix(pattern.size());
        // Up to its first dot: what follows may be written as a pattern.
        auto const end = std::find_if(named.begin(), named.end(), [](unsigned char c) {
            return std::isalnum(c) == 0 && c != '_';
        });
        std::string const stem(named.begin(), end);
        for (std::string const& m : metrics)
            if (!stem.empty() && m.substr(0, m.find('.')) == stem) unknown.push_back(m);
    }
    return unknown;
}

kernel_profile profile_of(profiled_launch const& launch) {
    using namespace profiler_parts;
    kernel_profile p;
    for (profiler_metric const& m : launch.metrics) {
        for (known_metric const& known : known_metrics)
            if (m.name == known.name) p.*known.to = m.value * prefix_of(m.unit);
        for (char const* const reason : stall_reasons)
            if (m.name == stall_metric(reason)) p.stalls.push_back({reason, m.value});
    }
    std::sort(p.stalls.begin(), p.stalls.end(), [](warp_stall const& a, warp_stall const& b) {
        return a.percent > b.percent;
    });
    return p;
}

error no_profile(profiler_log const& log, std::string const& otherwise) {
    auto const because = [](std::string why, std::string hint) {
        return error{condition::unavailable,
                     "lkt.cuda.profiler",
                     "Nsight Compute " + std::move(why),
                     std::move(hint)};
    };
    for (std::string const& said : log.complaints) {
        if (said.find("ERR_NVGPUCTRPERM") != said.npos)
            return because("may not read this device's counters (ERR_NVGPUCTRPERM)",
                           "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or "
                           "run with CAP_SYS_ADMIN: https://developer.nvidia.com/ERR_NVGPUCTRPERM");
        if (said.find("LibraryNotLoaded") != said.npos)
            return because("does not find all libraries of the driver (LibraryNotLoaded)",
                           "in a container set NVIDIA_DRIVER_CAPABILITIES=all; check whether it is "
                           "as new as the driver");
        if (said.find("driver resource was unavailable") != said.npos)
            return because("cannot use the device's counters, because another program does",
                           "stop the program that profiles this device, such as DCGM");
    }
    std::string why = "gave no profile: " + otherwise;
    if (!log.complaints.empty()) why += "; it says: " + log.complaints.front();
    return because(std::move(why),
                   "check whether it is as new as the driver and supports the device");
}

} // namespace lkt::cuda_detail
