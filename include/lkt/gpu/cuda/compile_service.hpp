// SPDX-License-Identifier: BSL-1.0
// NVRTC in a worker, and its entry in the list of services: whoever includes this can serve it, if
// its main begins with `worker_main`.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/cuda/nvrtc.hpp>
#include <lkt/gpu/device/detail/compiler_worker.hpp>
#include <lkt/process/service.hpp>

namespace lkt::cuda_detail {

inline constexpr service_key compile_key{"cuda-compile", compiler_layout};

/// `serve_compiler` with NVRTC.
[[nodiscard]] result<worker_message> serve_compile(worker_message request);

inline service_entry const compile_entry{compile_key, &serve_compile};

/// What the compile pool has to know of NVRTC.
[[nodiscard]] compiler_kind const& nvrtc_compiler();

} // namespace lkt::cuda_detail
