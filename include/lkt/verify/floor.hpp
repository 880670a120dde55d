// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

#include <cstdint>
#include <optional>

namespace lkt {

/// Bytes that every right kernel writes to the device's memory on the timed test: all of its `out`
/// arguments but scratch, and of `inout` ones the elements that change.
[[nodiscard]] std::uint64_t compulsory_bytes(problem const& task, test_suite const& suite);

/// The least time in which `device` can do that: at a tenth more than its bandwidth on paper, and
/// with as much left in the cache as this holds. 0 where the device does not tell these, or where
/// everything could stay in twice the cache.
[[nodiscard]] seconds min_time(device_description const& device, std::uint64_t compulsory);

/// `implausible` where the median cannot be a time of this kernel on this device: not above zero,
/// or below `min_time`. Arithmetic and reads are not counted, so what passes may still be too
/// fast.
[[nodiscard]] std::optional<failure> check_time(measurement const& time,
                                                device_description const& device,
                                                problem const& task,
                                                test_suite const& suite);

} // namespace lkt
