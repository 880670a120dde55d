// SPDX-License-Identifier: BSL-1.0
// The worker that holds a device which loads modules (CUDA's, HIP's): what it says of it, and how a
// compiled kernel reaches it. Jobs are those of gpu/device/job.hpp.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/module_driver.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::device_detail {

inline constexpr std::uint64_t module_layout = layout_hash("cuda device 5", job_layout);

/// The facts about a device, from the driver.
struct device_facts {
    std::string name, uuid;
    std::string architecture; ///< `gfx90a:sramecc+:xnack-`; empty where `major` and `minor` say it
    int driver = 0;           ///< as cuDriverGetVersion counts: 13000 is CUDA 13.0
    int index = 0, devices = 0;
    int major = 0, minor = 0; ///< compute capability
    int multiprocessors = 0, warp_size = 32, max_threads_per_block = 0;
    int threads_per_multiprocessor = 0, registers_per_multiprocessor = 0;
    int shared_per_block = 0, shared_per_multiprocessor = 0; ///< bytes
    int l2_bytes = 0, clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
    bool cooperative = false, clusters = false;
    dim3 max_block{}, max_grid{};
    std::uint64_t memory = 0; ///< bytes
};

/// What a job's program is made of.
struct cubin_program {
    std::string entry, image;
    bool cooperative = false;
};

[[nodiscard]] std::string pack(device_facts const&);
[[nodiscard]] std::optional<device_facts> unpack_facts(std::string_view);
[[nodiscard]] std::string pack(cubin_program const&);
[[nodiscard]] std::optional<cubin_program> unpack_program(std::string_view);

/// What a variable of the text is called in a cubin: `n::c` is `_ZN1n1cE`.
[[nodiscard]] std::string symbol_of(std::string_view variable);

/// Serves requests (`open` with the name of a device or nothing, `tools` with compiled
/// `tools_text`, `run`, `leave`) in a worker; see process/service.hpp. A process holds one device.
[[nodiscard]] result<worker_message> serve_module_device(device_kind const& kind,
                                                         worker_message request);

} // namespace lkt::device_detail
