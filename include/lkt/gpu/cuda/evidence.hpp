// SPDX-License-Identifier: BSL-1.0
// Questions about a kernel on an NVIDIA GPU: what can be asked, how the tools are called, what they
// say. Nothing here starts a process.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/cuda/profiler.hpp>
#include <lkt/gpu/detail/code_excerpt.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/offered_evidence.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

/// The disassembler's file: `given`, else `LKT_NVDISASM`, else as `find_profiler`. Error:
/// `lkt.cuda.disassembler` (unavailable).
[[nodiscard]] result<std::string> find_disassembler(std::string const& given);

/// A counter that may be asked for by a plain name.
struct known_counter {
    char const* name;
    char const* metric; ///< as Nsight Compute names it
    char const* unit;
    char const* meaning;
};
[[nodiscard]] std::span<known_counter const> known_counters();

/// The metrics of these names; error `lkt.cuda.evidence` (rejected) for one that is not offered.
[[nodiscard]] result<std::vector<std::string>> metrics_of(std::vector<std::string> const& counters);

/// `dram_read_bytes: 1048576 bytes`, one line for each of the names; a counter without a value says
/// so.
[[nodiscard]] std::vector<std::string> counter_lines(std::vector<std::string> const& counters,
                                                     profiled_launch const& launch);

/// What the compiler gave the kernel, and what of it limits the blocks that are resident.
[[nodiscard]] std::vector<std::string> resource_lines(compiled_kernel const& kernel,
                                                      launch_dimensions const& launch,
                                                      device_description const& device);

/// Reads `nvdisasm --print-code --print-line-info` of a cubin: the code of the kernel `entry`.
/// Lines are those of the file that lkt calls a kernel's text.
[[nodiscard]] std::vector<gpu_detail::code_line> read_disassembly(std::string_view text,
                                                                  std::string_view entry);

/// One instruction, and how often a warp was seen there that did not issue, by reason.
struct sampled_instruction {
    std::string text;
    double samples = 0;                    ///< all of them
    std::map<std::string, double> reasons; ///< `long_scoreboard`, ...
};

/// The command line in front of the program whose first launch is sampled; its table, by
/// instruction, goes to the file `log`.
[[nodiscard]] std::vector<std::string> sampling_command(std::string const& program,
                                                        std::string const& log);

/// Reads the table that `--page source --csv` leaves.
[[nodiscard]] std::vector<sampled_instruction> read_samples(std::string_view text);

/// `line 12: 41 % of the samples: long_scoreboard 80 %, wait 11 %`, the most first. `code`: the
/// same instructions with their lines; where it has another number of them, places are
/// instructions.
[[nodiscard]] std::vector<std::string> stall_lines(std::vector<sampled_instruction> const& samples,
                                                   std::vector<gpu_detail::code_line> const& code);

} // namespace lkt::cuda_detail
