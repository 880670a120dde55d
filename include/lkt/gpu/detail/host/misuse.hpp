// SPDX-License-Identifier: BSL-1.0
// Ends a cell whose kernel does what CUDA does not define.
#pragma once

#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/process/cell.hpp>

#include <cstring>
#include <string>
#include <unistd.h>

namespace lkt::host_detail {

/// The shim sees it, and calls `end`: while one lives, its cell says why it ended.
class misuse_watch {
public:
    explicit misuse_watch(cell const& inside) { running = &inside; }
    ~misuse_watch() { running = nullptr; }
    misuse_watch(misuse_watch const&) = delete;
    misuse_watch& operator=(misuse_watch const&) = delete;

    static void end(char const* why, int line) {
        if (running == nullptr) return;
        running->report(std::string(why, ::strnlen(why, 200)) + ", in line " +
                        std::to_string(line));
        ::_exit(static_cast<int>(cell_code::misused));
    }

private:
    static inline cell const* running = nullptr;
};

} // namespace lkt::host_detail
