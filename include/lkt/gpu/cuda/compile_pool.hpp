// SPDX-License-Identifier: BSL-1.0
// The compile pool (gpu/device/detail/job_pool.hpp) with NVRTC.
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/compile_service.hpp>
#include <lkt/gpu/device/detail/job_pool.hpp>

namespace lkt::cuda_detail {

/// How CUDA text is compiled, in processes of their own. In the persistent cache the key is the
/// whole text with its definitions, the kernel, all options, and NVRTC's files by size and time.
struct compile_pool_options : device_detail::pool_options {
    compile_pool_options() : device_detail::pool_options(nvrtc_compiler()) {}
};

} // namespace lkt::cuda_detail
