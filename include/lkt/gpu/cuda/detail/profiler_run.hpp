// SPDX-License-Identifier: BSL-1.0
// A kernel under Nsight Compute: one launch, repeated by the tool for each group of counters.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/cuda/profiler.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/process/worker_options.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace lkt::cuda_detail {

struct profiler_settings {
    std::string program; ///< its file
    std::string device;  ///< as cuda_options::device
    worker_options worker;
    std::chrono::seconds limit{60}; ///< for the launch with its repetitions
};

/// The profile of one launch. Of `metrics` those that the tool does not know are removed. Errors:
/// `lkt.cuda.profiler`, unavailable where the tool cannot work and transient where this launch did
/// not; `lkt.cuda.request`, `lkt.cancelled`.
[[nodiscard]] result<kernel_profile> run_profiled(profiler_settings const& how,
                                                  std::vector<std::string>& metrics,
                                                  compiled_kernel const& kernel,
                                                  run_request const& request,
                                                  call_context const& context);

/// One launch with these metrics. Those that the tool does not know are removed. Errors: likewise.
[[nodiscard]] result<profiled_launch> run_counted(profiler_settings const& how,
                                                  std::vector<std::string>& metrics,
                                                  compiled_kernel const& kernel,
                                                  run_request const& request,
                                                  call_context const& context);

/// What the tool writes of one launch in which it samples where warps are. Errors: likewise.
[[nodiscard]] result<std::string> run_sampled(profiler_settings const& how,
                                              compiled_kernel const& kernel,
                                              run_request const& request,
                                              call_context const& context);

} // namespace lkt::cuda_detail
