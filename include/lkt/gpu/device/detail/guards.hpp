// SPDX-License-Identifier: BSL-1.0
// Where buffers lie on the device, and what surrounds them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lkt::device_detail::session_parts {

/// Bytes before and after each buffer that a kernel has no business to change. The one behind
/// begins where the buffer ends.
inline constexpr std::uint64_t guard_bytes = 4096;
/// Buffers begin where large allocations do, at a page of the device. A few KiB further on, an H200
/// takes up to 14 % longer for the same atomics, and half a per cent less for the same softmax. So
/// it is by whole pages that they lie elsewhere in each series: at one of `max_places`, where
/// there is memory for it. Where no time counts, they lie at any multiple of what `cudaMalloc`
/// aligns to, so that no alignment beyond it is right in all tests.
inline constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t max_places = 8;
inline constexpr std::uint64_t min_alignment = 256;
inline constexpr std::size_t max_modules = 256;
inline constexpr std::size_t max_counters = 1024;

} // namespace lkt::device_detail::session_parts
