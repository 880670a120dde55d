// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/process/worker_options.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace lkt {

/// Which library, and which device.
struct webgpu_options {
    std::string library; ///< wgpu-native's file; empty: `LKT_WGPU`, else libwgpu_native.so
    /// Empty: a GPU before software. An index, a part of a name, or `discrete`, `integrated`,
    /// `software`.
    std::string adapter;
    /// How the checked mode compiles and runs translations on the CPU; its `worker` is the one
    /// below, and what it compiles and what WGSL the library refused is kept in its cache.
    host_options checker;
    worker_options worker; ///< how the process that uses the device starts
};

/// How much work went where, since the back end was made.
struct webgpu_counters {
    std::uint64_t compiled = 0;     ///< texts with their constants
    std::uint64_t from_cache = 0;   ///< refusals that were known
    std::uint64_t launches = 0;     ///< timed ones
    std::uint64_t workers_lost = 0; ///< that were replaced
    seconds device_time{};          ///< of timed launches together
};

/// WGSL kernels on any GPU, or in software, with wgpu-native, found at run time. The library, its
/// compiler and all launches are in a worker process (docs/webgpu-backend.md), so a kernel that
/// hangs or a driver that crashes costs a fraction of a second; a program that uses it begins its
/// main with `worker_main`.
///
/// Parameters reach the text as override constants. Times are those between timestamps around the
/// pass that holds one launch, cold unless asked otherwise; if a device has none, or coarse ones,
/// `run_report::timing` says how times were taken. A software adapter is `simulated`.
///
/// The checked mode finds races: the text is translated to C++ and run by the host back end, which
/// needs a C++ compiler. A text that cannot be translated gives the error `lkt.webgpu.checked`
/// (unavailable).
///
/// Errors: `lkt.webgpu.*`, `lkt.kernel.*`, `lkt.worker.*`, `lkt.memory.*`, `lkt.cancelled`.
class webgpu {
public:
    explicit webgpu(webgpu_options options = {});
    ~webgpu();
    webgpu(webgpu&&) noexcept;
    webgpu& operator=(webgpu&&) noexcept;

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

    [[nodiscard]] webgpu_counters counters() const;

private:
    class session;
    friend class webgpu_inspector; ///< of the tests
    std::unique_ptr<session> session_;
};

static_assert(prefetching_backend<webgpu>);

} // namespace lkt
