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
    unsigned compiler_process_limit = 64; ///< of one compilation, at a time; 0: none
    std::uint64_t compiler_scratch_limit = std::uint64_t{256} << 20; ///< bytes of its files
    /// Compile even if this Linux kernel can keep a compiler from other files neither with Landlock
    /// nor with a mount namespace: only for texts that you have read. Otherwise
    /// `lkt.sandbox.unavailable`.
    bool unconfined_compiler = false;
    unsigned hip_lanes = 32;        ///< of a wave, in kernels that are HIP: 32 or 64
    std::vector<std::string> flags; ///< for the compiler, after lkt's own
    /// Of compiled kernels, for later processes. Empty: `LKT_CACHE`, else the user's cache folder.
    std::string cache_folder;
    std::uint64_t cache_limit = std::uint64_t{1} << 30; ///< bytes; 0: no cache on disk
    worker_options worker;                              ///< how the process that runs them starts
};

/// How much work went where, since the back end was made.
struct host_counters {
    std::uint64_t compiled = 0;   ///< calls of the compiler; a kernel in checked mode takes two
    std::uint64_t from_cache = 0; ///< calls that were not needed
};

} // namespace lkt
