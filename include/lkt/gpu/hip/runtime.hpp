// SPDX-License-Identifier: BSL-1.0
// HIP's runtime: loaded at run time by the worker that holds the device, so that a program is built
// without ROCm and starts without it. Signatures: HIP Runtime API reference.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/module_driver.hpp>
#include <lkt/gpu/device/detail/module_service.hpp>
#include <lkt/process/service.hpp>

#include <string>
#include <vector>

namespace lkt::hip_detail {

using namespace device_detail;

/// Files of a library that may be there, the newest first. `stems`: `libamdhip64.so`. Looks in the
/// folders `lib` of `ROCM_PATH`, `HIP_PATH` and of those that `LKT_ROCM` lists, separated by
/// colons; then at /opt/rocm*, and in the system's folders.
[[nodiscard]] std::vector<std::string> rocm_files(std::vector<std::string> const& stems);

/// Opens a library and, where the loader does not find them, the libraries of ROCm beside it that
/// it needs. Null, and why.
[[nodiscard]] void* open_rocm(std::string const& file, std::string& why);

/// HIP's runtime of this process. Call it only in workers. `library`: empty means `LKT_HIP`, else
/// what is found. Errors, all `unavailable`: `lkt.hip.driver` (missing, not loadable),
/// `lkt.hip.no-device`.
[[nodiscard]] result<driver_api> load_hip(std::string const& library = {});

/// What a session has to know of HIP.
[[nodiscard]] device_kind const& hip_devices();

inline constexpr service_key device_key{"lkt.hip.device", module_layout};

/// `serve_module_device` with HIP.
[[nodiscard]] result<worker_message> serve_device(worker_message request);
inline service_entry const device_entry{device_key, &serve_device};

} // namespace lkt::hip_detail
