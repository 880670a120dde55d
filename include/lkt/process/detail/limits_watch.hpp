// SPDX-License-Identifier: BSL-1.0
// Limits that the kernel does not keep for a child with children of its own: how many processes
// there are, and what its scratch directory holds. Runs in a worker.
#pragma once

#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/run_request.hpp>

#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <vector>

namespace lkt::process_detail {

/// How many descendants this process has, up to `most` and one more. A limit of the kernel's would
/// be a user's, not a compiler's, and holds for nobody who is root.
[[nodiscard]] inline std::uint64_t count_descendants(std::uint64_t most) {
    auto all = own_children();
    for (std::size_t k = 0; k < all.size() && all.size() <= most; ++k) {
        auto const name = std::to_string(all[k]);
        auto const path = "/proc/" + name + "/task/" + name + "/children";
        auto* const file = std::fopen(path.c_str(), "re");
        if (file == nullptr) continue; // it is gone
        for (int pid = 0; std::fscanf(file, "%d", &pid) == 1;) all.push_back(pid);
        std::fclose(file);
    }
    return all.size();
}

struct scratch_contents {
    std::uint64_t bytes = 0, files = 0;
};

/// A compiler makes no folders.
[[nodiscard]] inline scratch_contents look_into(std::string const& folder) {
    scratch_contents sum;
    auto* const d = ::opendir(folder.c_str());
    if (d == nullptr) return sum;
    while (auto const* const entry = ::readdir(d)) {
        struct stat about{};
        if (::fstatat(::dirfd(d), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(about.st_mode)) continue;
        ++sum.files;
        sum.bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    }
    ::closedir(d);
    return sum;
}

/// More files than any compilation has.
inline constexpr std::uint64_t max_scratch_files = 1024;

/// The limit that is broken now; empty: none.
[[nodiscard]] inline std::string broken_limit(run_request const& r, std::string const& scratch) {
    if (r.processes != 0)
        if (auto const n = count_descendants(r.processes); n > r.processes)
            return "more than " + std::to_string(r.processes) + " processes at a time";
    if (r.scratch_bytes == 0 || scratch.empty()) return {};
    auto const there = look_into(scratch);
    if (there.bytes > r.scratch_bytes)
        return "more than " + std::to_string(r.scratch_bytes >> 20) + " MiB of files";
    if (there.files > max_scratch_files)
        return "more than " + std::to_string(max_scratch_files) + " files";
    return {};
}

/// Waits until `child` has ended, and does not collect it; or until a limit is broken, and says
/// which. Looks every 10 ms.
[[nodiscard]] inline std::string
watch_limits(pid_t child, run_request const& r, std::string const& scratch) {
    if (r.processes == 0 && r.scratch_bytes == 0) return {};
    auto const process = open_process(child);
    while (true) {
        if (process) {
            pollfd one{process.get(), POLLIN, 0};
            (void)::poll(&one, 1, 10);
        } else {
            timespec const pause{0, 2'000'000};
            ::nanosleep(&pause, nullptr);
        }
        siginfo_t ended{};
        if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid != 0)
            return {};
        if (auto over = broken_limit(r, scratch); !over.empty()) return over;
    }
}

} // namespace lkt::process_detail
