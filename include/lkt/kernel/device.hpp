// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/peaks.hpp>
#include <lkt/kernel/source.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

/// What a launch may ask of a device, and what a prompt or a report may say of it.
struct device_description {
    std::string name;    ///< `NVIDIA H200`, `host CPU (2 threads)`
    std::string backend; ///< `cuda`, `host`, ...
    std::string driver;  ///< version of driver or compiler
    std::vector<language> languages;
    std::vector<std::string> headers; ///< that a kernel may include here: `cuda_fp16.h`
    std::string ptx; ///< that a kernel may contain here, as words; set by the tuner by its policy
    bool simulated = false; ///< its times are not those of a GPU

    std::uint32_t multiprocessors = 0;
    std::uint32_t warp_size = 32;
    std::uint32_t max_threads_per_block = 1024;
    dim3 max_block{1024, 1024, 64};
    dim3 max_grid{2147483647, 65535, 65535};
    bytes shared_memory_per_block{48 * 1024};
    bytes memory;
    bytes l2;                    ///< of the cache before the memory; 0: unknown
    double memory_bandwidth = 0; ///< bytes a second, on paper; 0: unknown

    std::string architecture; ///< `sm_90`; empty: unknown
    // Of a multiprocessor, for all blocks on it; 0: unknown.
    std::uint32_t threads_per_multiprocessor = 0, registers_per_multiprocessor = 0;
    bytes shared_memory_per_multiprocessor;

    device_peaks peaks; ///< set by the tuner, where the back end is a `peak_backend`

    /// Whether a kernel may contain `wgmma` here, by what `ptx` says.
    [[nodiscard]] bool allows_wgmma() const { return ptx.find("`wgmma.") != ptx.npos; }
};

/// The first limit that `d` breaks, as a sentence; empty when it fits.
[[nodiscard]] std::string limit_exceeded(device_description const& device,
                                         launch_dimensions const& d);

} // namespace lkt
