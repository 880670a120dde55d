// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/device/detail/compiler_worker.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/process/worker_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lkt::device_detail {

/// How text is compiled, in processes of their own.
struct pool_options {
    explicit pool_options(compiler_kind const& kind) : compiler(&kind) {
        cache.kind = std::string(kind.back_end);
    }
    compiler_kind const* compiler;
    std::string library{};                      ///< the compiler's file; empty: searched for
    std::vector<std::string> include_folders{}; ///< yours, before the compiler's own
    std::string standard = "c++20";             ///< where a job's options name none
    unsigned workers = 0;                       ///< 0: one a processor, at most 16
    std::size_t prefetch_limit = 4096;          ///< jobs that wait; more are not taken ahead
    std::uint64_t kept_bytes = std::uint64_t{256} << 20; ///< of results, in memory
    std::uint64_t memory_limit = std::uint64_t{4} << 30; ///< of a compiler, address space; 0: none
    /// Compile although this kernel cannot keep the compiler from other files: for texts that you
    /// have read. Otherwise `lkt.sandbox.unavailable`.
    bool unconfined_compiler = false;
    gpu_detail::compile_cache_options cache{}; ///< of compiled kernels
    worker_options worker{};                   ///< how the processes start
};

struct compile_counters {
    std::uint64_t compiled = 0;   ///< by a compiler, with any result
    std::uint64_t from_cache = 0; ///< found in the persistent cache, refused texts too
    std::uint64_t waiting = 0;    ///< queued or being compiled now
    std::uint64_t lost = 0;       ///< workers that died or took too long
};

/// The compiler of a pool.
struct compiler_facts {
    compiler_place place;
    int major = 0, minor = 0;
};

/// Compiles ahead and side by side: worker processes, each driven by a thread of this process.
/// Equal jobs (all but their time limits) are compiled once, those that fail too. A compiler that
/// takes too long or crashes is reported once: a further request compiles again. Its members may be
/// called by several threads.
///
/// In the persistent cache the key is the whole text with its definitions, the kernel, all options,
/// and the compiler's files by size and time. Of a text that includes something it is also the
/// compiler's headers by size and time, and the contents of every include folder of the user's; if
/// those have more than 1024 files or 16 MiB, contain links, or include files from elsewhere,
/// nothing is kept.
class compile_pool {
public:
    /// Starts nothing; processes come with the work.
    explicit compile_pool(pool_options options);
    /// Drops what has not been compiled, ends the workers, and is back within about a second.
    ~compile_pool();
    compile_pool(compile_pool const&) = delete;
    compile_pool& operator=(compile_pool const&) = delete;

    /// Starts a job that will be asked for; dropped when the queue is full.
    void prefetch(compile_job job);

    /// The job's result, waited for; it overtakes what was only prefetched. Errors: those of the
    /// compiler; `lkt.cancelled`; those of a worker. A compiler that dies is a `compile_failed`,
    /// one that takes too long a `timed_out` of phase `compile`. A compiler killed by SIGKILL is
    /// started a second time first.
    [[nodiscard]] result<compile_result> get(compile_job const& job,
                                             call_context const& context = {});

    /// Compiles an empty text to learn it, the first time.
    [[nodiscard]] result<compiler_facts> compiler(call_context const& context = {});

    [[nodiscard]] compile_counters counters() const;
    /// What a report should say of the cache, each once.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace lkt::device_detail
