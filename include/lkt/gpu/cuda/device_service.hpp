// SPDX-License-Identifier: BSL-1.0
// The worker that holds a CUDA device: what it says of it, and how a compiled kernel reaches it.
// Jobs are those of gpu/device/job.hpp.
#pragma once

#include <lkt/gpu/device/detail/module_service.hpp>
#include <lkt/process/service.hpp>

namespace lkt::cuda_detail {

using namespace device_detail;

inline constexpr service_key device_key{"lkt.cuda.device", module_layout};

/// What a session has to know of CUDA.
[[nodiscard]] device_kind const& cuda_devices();

/// Serves requests (`open` with an index, a UUID or nothing, `tools` with the compiled
/// tools_source, `run`) in a worker; see process/service.hpp.
[[nodiscard]] result<worker_message> serve_device(worker_message request);
inline service_entry const device_entry{device_key, &serve_device};

} // namespace lkt::cuda_detail
