// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstdint>
#include <string>

namespace lkt {

/// Extents in x, y and z.
struct dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    friend constexpr bool operator==(dim3, dim3) = default;
};

/// What one launch is given: blocks in the grid, threads in a block, dynamic shared memory.
struct launch_dimensions {
    dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    friend constexpr bool operator==(launch_dimensions, launch_dimensions) = default;
};

/// `grid 32x32, block 16x16` (and `, 4096 B shared`).
[[nodiscard]] std::string to_string(launch_dimensions const& d);

} // namespace lkt
