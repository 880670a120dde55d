// SPDX-License-Identifier: BSL-1.0
// The CUDA driver: loaded at run time, so that a program is built without a toolkit and starts
// without a driver. Signatures: CUDA Driver API reference.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/module_driver.hpp>

#include <string>

namespace lkt::cuda_detail {

using namespace device_detail;

/// The oldest driver that lkt supports, as cuDriverGetVersion counts: 12.0.
inline constexpr int oldest_driver = 12000;

/// The driver of this process, loaded and initialised once. Call it only in workers: the driver
/// cannot be stopped again. `library` is for tests: empty means `LKT_CUDA_DRIVER`, else the
/// system's libcuda.so.1. Errors, all `unavailable`: `lkt.cuda.driver` (missing, not loadable),
/// `lkt.cuda.driver-old`, `lkt.cuda.no-device`, `lkt.cuda.stub`.
[[nodiscard]] result<driver_api> load_driver(std::string const& library = {});

} // namespace lkt::cuda_detail
