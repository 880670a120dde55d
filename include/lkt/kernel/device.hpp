// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
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
    bool simulated = false; ///< its times are not those of a GPU

    std::uint32_t multiprocessors = 0;
    std::uint32_t warp_size = 32;
    std::uint32_t max_threads_per_block = 1024;
    dim3 max_block{1024, 1024, 64};
    dim3 max_grid{2147483647, 65535, 65535};
    bytes shared_memory_per_block{48 * 1024};
    bytes memory;
};

/// The first limit that `d` breaks, as a sentence; empty when it fits.
template <int = 0>
[[nodiscard]] std::string limit_exceeded(device_description const& device,
                                         launch_dimensions const& d);

// --- definitions -----------------------------------------------------------------------------

template <int>
std::string limit_exceeded(device_description const& device, launch_dimensions const& d) {
    auto const beyond = [&](char const* what, dim3 got, dim3 limit) -> std::string {
        std::uint32_t const gots[] = {got.x, got.y, got.z};
        std::uint32_t const limits[] = {limit.x, limit.y, limit.z};
        for (std::size_t i = 0; i < 3; ++i) {
            std::string const extent = std::string("the ") + what + "'s extent in " + "xyz"[i];
            if (gots[i] == 0) return extent + " is 0";
            if (gots[i] > limits[i])
                return extent + " is " + std::to_string(gots[i]) + ", and " + device.name +
                       " allows " + std::to_string(limits[i]);
        }
        return {};
    };
    // Three extents of 32 bits need 96: the product of the first two decides before it can wrap.
    std::uint64_t const plane = std::uint64_t{d.block.x} * d.block.y;
    if (plane > device.max_threads_per_block || d.block.count() > device.max_threads_per_block) {
        std::string const count =
            plane > 0xffffffffU ? "more than 4294967295" : std::to_string(d.block.count());
        return "the block has " + count + " threads, and " + device.name + " allows " +
               std::to_string(device.max_threads_per_block);
    }
    if (std::string why = beyond("block", d.block, device.max_block); !why.empty()) return why;
    if (std::string why = beyond("grid", d.grid, device.max_grid); !why.empty()) return why;
    if (d.shared_bytes > device.shared_memory_per_block.count)
        return "a block asks for " + to_string(bytes{d.shared_bytes}) +
               " of dynamic shared memory, and " + device.name + " has " +
               to_string(device.shared_memory_per_block);
    return {};
}

} // namespace lkt
