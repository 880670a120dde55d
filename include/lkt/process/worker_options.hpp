// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

/// How a worker is started.
struct worker_options {
    /// The executable; empty: `LKT_WORKER`, else this program (if its main began with
    /// `worker_main`), else `lkt-worker` beside this program or on `PATH`.
    std::string executable{};
    /// A program with its arguments that starts the worker, which becomes its last two arguments: a
    /// checker, a debugger. It passes its descriptors on, and the worker ends with it.
    std::vector<std::string> launcher{};
    /// `NAME=value` for the worker, whose environment is empty otherwise.
    std::vector<std::string> environment{};
    /// Variables that are handed on where they are set. Never keys.
    std::vector<std::string> keep{"PATH", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH"};
    std::chrono::milliseconds start_limit{10'000};          ///< until it answers
    std::uint64_t message_limit = std::uint64_t{256} << 20; ///< bytes of one reply
};

} // namespace lkt
