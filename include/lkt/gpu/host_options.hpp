// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/worker_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

/// How kernels are compiled and run on the CPU.
struct host_options {
    std::string compiler;     ///< empty: `LKT_CXX`, else c++, g++ or clang++, whichever is on PATH
    unsigned threads = 0;     ///< of the system, over which blocks are spread; 0: one a core
    bool unsandboxed = false; ///< run kernels without a sandbox: only for texts that you have read
    std::uint64_t memory_limit = std::uint64_t{4} << 30;          ///< bytes, of a running kernel
    std::uint64_t compiler_memory_limit = std::uint64_t{2} << 30; ///< bytes
    std::vector<std::string> flags; ///< for the compiler, after lkt's own
    worker_options worker;
};

} // namespace lkt
