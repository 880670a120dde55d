// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/sanitizer.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace lkt::cuda_detail {

namespace sanitizer_parts {

namespace fs = std::filesystem;

constexpr char const* name = "compute-sanitizer";

bool is_program(fs::path const& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string variable(char const* of) {
    char const* const value = std::getenv(of);
    return value == nullptr ? std::string{} : std::string{value};
}

/// The folders to look in, the first one first.
std::vector<fs::path> folders() {
    std::vector<fs::path> all;
    for (char const* const home : {"CUDA_HOME", "CUDA_PATH"})
        if (auto const set = variable(home); !set.empty()) all.push_back(fs::path{set} / "bin");
    std::string const path = variable("PATH");
    for (std::string_view rest = path; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        if (end > 0) all.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    all.emplace_back("/usr/local/cuda/bin");
    std::vector<fs::path> toolkits;
    std::error_code failed;
    for (fs::directory_iterator at{"/usr/local", failed}, end; !failed && at != end;
         at.increment(failed))
        if (at->path().filename().string().starts_with("cuda-"))
            toolkits.push_back(at->path() / "bin");
    std::sort(toolkits.rbegin(), toolkits.rend());
    all.insert(all.end(), toolkits.begin(), toolkits.end());
    all.emplace_back("/opt/cuda/bin");
    return all;
}

error missing(std::string message, std::string hint) {
    return {condition::unavailable, "lkt.cuda.sanitizer", std::move(message), std::move(hint)};
}

} // namespace sanitizer_parts

result<std::string> find_sanitizer(std::string const& given) {
    using namespace sanitizer_parts;
    std::string named = given, by = "cuda_options::sanitizer";
    if (named.empty()) named = variable("LKT_COMPUTE_SANITIZER"), by = "LKT_COMPUTE_SANITIZER";
    if (!named.empty()) {
        if (is_program(named)) return named;
        return missing("'" + named + "', named by " + by + ", is not a program",
                       "give the path of NVIDIA's compute-sanitizer, or leave it unset");
    }
    for (fs::path const& folder : folders())
        if (is_program(folder / name)) return (folder / name).string();
    return missing("there is no compute-sanitizer, which the checked mode of CUDA needs",
                   "install it (in the CUDA toolkit; Debian: nvidia-cuda-toolkit, NVIDIA's "
                   "packages: cuda-sanitizer-13-0), or set LKT_COMPUTE_SANITIZER to its file");
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
