// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/process/worker_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// Which device, and how kernels are compiled for it.
struct cuda_options {
    /// Empty: the first; an index, or a UUID (`GPU-...`, or `MIG-...` of an instance).
    std::string device;
    std::string nvrtc;                        ///< the library's file; empty: searched for
    std::vector<std::string> include_folders; ///< for `#include` in kernels, before the toolkit's
    std::string standard = "c++20";           ///< of C++, where a request's options name none
    /// Compile although this kernel cannot keep compilers from other files, NVRTC and that of
    /// `checker`: only for texts that you have read.
    bool unconfined_compiler = false;
    unsigned compilers = 0; ///< side by side; 0: one a processor, at most 16
    /// Of compiled kernels, for later processes. Empty: `LKT_CACHE`, else the user's cache folder.
    std::string cache_folder;
    bytes cache_limit{std::uint64_t{1} << 30}; ///< 0: no cache on disk
    /// Kernels that are compiled `checked` run in the host back end's checked mode, and then under
    /// each of these tools of NVIDIA's compute-sanitizer, whose processes take seconds to start. If
    /// it is off, or not installed, only the CPU checks; `unchecked` says so.
    bool sanitize = true;
    host_options checker; ///< how the text is compiled for the CPU; its `worker` is the one below
    /// The tools of `sanitize`.
    std::vector<std::string> sanitizer_tools{"memcheck", "racecheck", "initcheck", "synccheck"};
    std::string sanitizer;     ///< the program's file; empty: searched for
    std::string profiler;      ///< Nsight Compute's `ncu`; empty: searched for
    std::string disassembler;  ///< the toolkit's `nvdisasm`; empty: searched for
    seconds profile_limit{60}; ///< for a profile, whose launch is repeated for groups of counters
    worker_options worker;     ///< how the process that uses the GPU starts
};

/// How much work went where, since the back end was made.
struct cuda_counters {
    std::uint64_t compiled = 0, from_cache = 0; ///< kernels
    std::uint64_t launches = 0;                 ///< timed ones
    std::uint64_t workers_lost = 0;             ///< devices' workers that were replaced
    seconds device_time{};                      ///< of timed launches together
};

/// CUDA kernels on an NVIDIA GPU: NVRTC and the driver, found at run time. Compilers and launches
/// live in worker processes (docs/cuda-backend.md), so that a kernel which crashes or hangs costs a
/// second and nothing else; a program that uses it begins its main with `worker_main`.
///
/// Times are those of single launches between two events, cold unless asked otherwise, with the
/// launch's own latency kept out. A launch at less than three quarters of the device's clock is
/// repeated.
///
/// Errors: `lkt.cuda.*`, `lkt.worker.*`, `lkt.memory.*`, `lkt.cancelled`.
class cuda {
public:
    explicit cuda(cuda_options options = {});
    ~cuda();
    cuda(cuda&&) noexcept;
    cuda& operator=(cuda&&) noexcept;

    /// Starts the device's worker, the first time.
    [[nodiscard]] result<device_description> device(call_context const& context = {});
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context = {});
    /// Begins to compile what will be asked for; `device` must have been called.
    void prefetch(compile_request const& request);
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context = {});
    [[nodiscard]] std::vector<result<compile_outcome>>
    compile_all(std::span<compile_request const> requests, call_context const& context = {});
    /// One after the other. Runs of one checked kernel that follow each other share the processes
    /// of compute-sanitizer, whose start is most of what a checked run takes.
    [[nodiscard]] std::vector<result<run_outcome>> run_all(std::span<kernel_run const> runs,
                                                           call_context const& context = {});
    [[nodiscard]] static std::size_t runs_at_once() { return 1; }
    /// Lets the device go until it is needed again.
    void release();

    /// Always: whether there is a profiler that works is seen when it is asked for.
    [[nodiscard]] bool can_profile() const { return true; }
    /// One launch under Nsight Compute, in a worker of its own, which takes seconds. If `ncu` is
    /// missing, may not read counters or takes too long, it is not tried again, and the error is
    /// repeated. Errors: `lkt.cuda.profiler`, `lkt.cuda.request`, `lkt.cancelled`.
    [[nodiscard]] result<kernel_profile> profile(compiled_kernel const& kernel,
                                                 run_request const& request,
                                                 call_context const& context = {});

    /// What the compiler gave a kernel, SASS where `nvdisasm` is found, counters and stalls by line
    /// where `ncu` is and has not failed.
    [[nodiscard]] evidence_offer offered_evidence();
    /// In seconds; of code, the kernel is compiled once more, with line numbers. Errors:
    /// `lkt.cuda.evidence`, `lkt.cuda.disassembler`, those of `profile`.
    [[nodiscard]] result<std::vector<std::string>> evidence(evidence_subject const& of,
                                                            evidence_question const& question,
                                                            call_context const& context = {});

    /// The rates that the device reaches. Measured in half a second, in a separate worker with
    /// nothing else running, and kept for a day beside the compiled kernels, for each device and
    /// driver.
    [[nodiscard]] result<device_peaks> peaks(call_context const& context = {});

    [[nodiscard]] cuda_counters counters() const;

private:
    class session;
    std::unique_ptr<session> session_;
};

static_assert(prefetching_backend<cuda> && profiling_backend<cuda> && batch_gpu_backend<cuda> &&
              evidence_backend<cuda>);

} // namespace lkt
