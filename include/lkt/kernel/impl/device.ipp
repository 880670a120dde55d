// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/device.hpp>

#include <cstddef>

namespace lkt {

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
        return "the block has " + count + " threads, but " + device.name + " allows " +
               std::to_string(device.max_threads_per_block);
    }
    if (std::string why = beyond("block", d.block, device.max_block); !why.empty()) return why;
    if (std::string why = beyond("grid", d.grid, device.max_grid); !why.empty()) return why;
    if (d.shared_bytes > device.shared_memory_per_block.count)
        return "a block asks for " + to_string(bytes{d.shared_bytes}) +
               " of dynamic shared memory, but " + device.name + " has " +
               to_string(device.shared_memory_per_block);
    return {};
}

} // namespace lkt
