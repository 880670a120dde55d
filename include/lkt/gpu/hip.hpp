// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/process/worker_options.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lkt {

/// Which device, and how kernels are compiled for it.
struct hip_options {
    /// Empty: the first; an index, or (the beginning of) an identifier, `GPU-...`.
    std::string device;
    std::string hiprtc;                       ///< the library's file; empty: searched for
    std::vector<std::string> include_folders; ///< for `#include` in kernels
    std::string standard = "c++20";           ///< of C++, where a request's options name none
    /// Compile although this kernel cannot keep compilers from other files: only for texts that you
    /// have read.
    bool unconfined_compiler = false;
    unsigned compilers = 0; ///< side by side; 0: one a processor, at most 16
    /// Of compiled kernels, for later processes. Empty: `LKT_CACHE`, else the user's cache folder.
    std::string cache_folder;
    bytes cache_limit{std::uint64_t{1} << 30}; ///< 0: no cache on disk
    /// Kernels that are compiled `checked` run in the host back end's checked mode.
    host_options checker;  ///< how the text is compiled for the CPU; its `worker` is the one below
    worker_options worker; ///< how the process that uses the GPU starts
};

/// How much work went where, since the back end was made.
struct hip_counters {
    std::uint64_t compiled = 0, from_cache = 0; ///< kernels
    std::uint64_t launches = 0;                 ///< timed ones
    std::uint64_t workers_lost = 0;             ///< devices' workers that were replaced
    seconds device_time{};                      ///< of timed launches together
};

/// HIP kernels on an AMD GPU: HIPRTC and HIP's runtime, found at run time. Compilers and launches
/// live in worker processes (docs/hip-backend.md), as those of `cuda` do, and times are taken in
/// the same way; a program that uses it begins its main with `worker_main`. No device's clock is
/// read.
///
/// Errors: `lkt.hip.*`, `lkt.worker.*`, `lkt.memory.*`, `lkt.cancelled`.
class hip {
public:
    explicit hip(hip_options options = {});
    ~hip();
    hip(hip&&) noexcept;
    hip& operator=(hip&&) noexcept;

    /// Starts the device's worker, the first time.
    [[nodiscard]] result<device_description> device(call_context const& context = {});
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context = {});
    /// Begins to compile what will be asked for; `device` must have been called.
    void prefetch(compile_request const& request);
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context = {});
    /// Lets the device go until it is needed again.
    void release();

    [[nodiscard]] hip_counters counters() const;

private:
    class session;
    std::unique_ptr<session> session_;
};

static_assert(prefetching_backend<hip>);

} // namespace lkt
