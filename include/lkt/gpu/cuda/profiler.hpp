// SPDX-License-Identifier: BSL-1.0
// NVIDIA's Nsight Compute (ncu): where it is, how it is called, what it says. Nothing here starts a
// process.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/profile.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

/// The program's file: `given`, else `LKT_NCU`, the toolkits that `CUDA_HOME` and `CUDA_PATH` name,
/// `PATH`, `/usr/local/cuda`, `/usr/local/cuda-*` (the last name first), `/opt/cuda`,
/// `/opt/nvidia/nsight-compute/*`. Error: `lkt.cuda.profiler` (unavailable).
[[nodiscard]] result<std::string> find_profiler(std::string const& given);

/// The 24 metrics to collect, by ncu's names. CudaForge (arXiv:2511.01884, section on the metric
/// subset) found that so few tell a judge more than all of them; most of the choice is theirs.
/// Registers and limits of occupancy are known without a profiler.
[[nodiscard]] std::vector<std::string> profiler_metrics();

/// The command line in front of the program whose first launch is profiled; the output goes to the
/// file `log`. Caches are emptied before each pass, clocks left as they are.
[[nodiscard]] std::vector<std::string> profiler_command(std::string const& program,
                                                        std::vector<std::string> const& metrics,
                                                        std::string const& log);

struct profiler_metric {
    std::string name, unit;
    double value = 0;
};

/// One row of the table.
struct profiled_launch {
    std::string kernel;
    std::vector<profiler_metric> metrics; ///< those that have a number
};

struct profiler_log {
    std::vector<profiled_launch> launches;
    std::vector<std::string> complaints; ///< its errors and warnings
};

/// Reads what `--csv --page raw` leaves: messages, a row of names, one of units, one for each
/// launch. Rows that are cut off are left out.
[[nodiscard]] profiler_log read_profiler_log(std::string_view text);

/// Those of `metrics` that the tool says it does not know.
[[nodiscard]] std::vector<std::string> unknown_metrics(profiler_log const& log,
                                                       std::vector<std::string> const& metrics);

/// The metrics under their names here, bytes and sectors without prefixes.
[[nodiscard]] kernel_profile profile_of(profiled_launch const& launch);

/// Why there is no profile, from the tool's output. `lkt.cuda.profiler` (unavailable).
[[nodiscard]] error no_profile(profiler_log const& log, std::string const& otherwise);

} // namespace lkt::cuda_detail
