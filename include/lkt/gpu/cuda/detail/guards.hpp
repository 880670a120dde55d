// SPDX-License-Identifier: BSL-1.0
// Where buffers lie on the device, and what surrounds them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lkt::cuda_detail::session_parts {

/// Bytes before and after each buffer that a kernel has no business to change. The guard behind
/// begins at a multiple of 8, where poison can write, and is shorter by as much at most.
inline constexpr std::uint64_t guard_bytes = 4096, guard_bytes_behind = guard_bytes - 8;
/// Buffers begin where large allocations do, at a page of the device. A few KiB further on, an H200
/// takes up to 14 % longer for the same atomics, and half a per cent less for the same softmax.
inline constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
inline constexpr std::size_t most_modules = 256;
inline constexpr std::size_t most_counters = 1024;

} // namespace lkt::cuda_detail::session_parts
