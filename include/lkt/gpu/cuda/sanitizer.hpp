// SPDX-License-Identifier: BSL-1.0
// NVIDIA's compute-sanitizer: where it is, how it is called, what it says. Nothing here starts a
// process.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/text_location.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

/// The program's file: `given`, else `LKT_COMPUTE_SANITIZER`, the toolkits that `CUDA_HOME` and
/// `CUDA_PATH` name, `PATH`, `/usr/local/cuda`, `/usr/local/cuda-*` (the last name first),
/// `/opt/cuda`. Error: `lkt.cuda.sanitizer` (unavailable).
[[nodiscard]] result<std::string> find_sanitizer(std::string const& given);

/// The command line in front of the program to be watched; findings go to the file `log`. `tool` is
/// memcheck, racecheck, initcheck or synccheck.
[[nodiscard]] std::vector<std::string>
sanitizer_command(std::string const& program, std::string const& tool, std::string const& log);

/// One thing that a tool holds against a kernel.
struct sanitizer_finding {
    enum class kind_of_finding : unsigned char {
        read_outside,  ///< memcheck: no allocation is there
        write_outside, ///< ... or the tool does not say what the access was
        fault,         ///< memcheck: misaligned, or a fault of the hardware
        uninitialised, ///< initcheck: a read of memory that was never written
        race,          ///< racecheck: a hazard
        barrier,       ///< synccheck: threads wait at different barriers
    };
    kind_of_finding kind = kind_of_finding::fault;
    std::string what;    ///< with thread, block and kernel
    text_location where; ///< in the kernel's text
};

struct sanitizer_log {
    std::vector<sanitizer_finding> findings;
    std::vector<std::string> complaints; ///< of the tool's own: why it cannot work
    /// The tool finished: it searched for everything that it can find.
    bool complete = false;
    std::uint64_t errors = 0; ///< as its summary counts them
};

/// Reads what versions 11 to 13 write. Warnings of racecheck, which may be intended, are not
/// findings.
[[nodiscard]] sanitizer_log read_sanitizer_log(std::string_view text);

/// The first finding as a verdict; nothing where there is none.
[[nodiscard]] std::optional<failure> verdict_of(sanitizer_log const& log);

} // namespace lkt::cuda_detail
