// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>

namespace lkt::cuda_detail {

result<std::string> find_sanitizer(std::string const& given) {
    constexpr toolkit_program sanitizer{
        .name = "compute-sanitizer",
        .variable = "LKT_COMPUTE_SANITIZER",
        .option = "cuda_options::sanitizer",
        .code = "lkt.cuda.sanitizer",
        .absent = "compute-sanitizer, which the checked mode of CUDA needs, was not found",
        .hint = "install it (in the CUDA toolkit; Debian: nvidia-cuda-toolkit, NVIDIA's packages: "
                "cuda-sanitizer-13-0), or set LKT_COMPUTE_SANITIZER to its file"};
    return find_program(sanitizer, given);
}

std::vector<std::string>
sanitizer_command(std::string const& program, std::string const& tool, std::string const& log) {
    std::vector<std::string> line{program,
                                  "--tool",
                                  tool,
                                  "--log-file",
                                  log,
                                  "--print-limit",
                                  "20",
                                  "--show-backtrace",
                                  "no",
                                  "--target-processes",
                                  "all"};
    auto const add = [&](char const* option, char const* value) {
        line.emplace_back(option);
        line.emplace_back(value);
    };
    // Allocations that touch would let an access hop from one buffer into the next.
    if (tool == "memcheck") add("--padding", "4096");
    // The host's calls are lkt's and the driver's own.
    if (tool == "memcheck") add("--report-api-errors", "no");
    if (tool == "racecheck") add("--racecheck-report", "analysis");
    return line;
}

} // namespace lkt::cuda_detail
