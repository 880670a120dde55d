// SPDX-License-Identifier: BSL-1.0
// Sizes, values, configurations, launches and bottlenecks in the words that prompts and reports
// use.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <vector>

namespace lkt {

[[nodiscard]] std::string value_words(parameter_value const& value);

[[nodiscard]] std::string values_words(std::vector<parameter_value> const& values);

/// `TILE=16, ROWS=2`; empty without parameters.
[[nodiscard]] std::string configuration_words(configuration const& c);

/// `N=256, K=64`
[[nodiscard]] std::string size_words(problem_size const& size);

/// The formula in lines, one for grid, block and shared memory.
[[nodiscard]] std::string launch_words(launch_formula const& launch);

/// `43.2 %`
[[nodiscard]] std::string percent_words(double percent);

/// `43.2 % of what arithmetic allows (645 TFLOP/s in float16, measured)`, of a kernel that takes so
/// long; empty where no roof is known.
[[nodiscard]] std::string share_words(roofline const& r, seconds taken);

/// Why arithmetic may be what limits a kernel all the same: nobody says how many operations it has,
/// or the device's rate is not known. Empty where both are.
[[nodiscard]] std::string unknown_arithmetic(roofline const& r);

/// Where tensor cores limit a kernel that is far from their peak, on a device where only `wgmma`
/// reaches it, and kernels may not contain that (`ptx_policy`): what would allow it. Else empty.
[[nodiscard]] std::string
missing_instructions(roofline const& r, device_description const& device, seconds taken);

/// What warps that stall for that reason wait for: `at barriers for other warps (barrier)`.
[[nodiscard]] std::string stall_words(std::string const& reason);

/// The part of the device that a launch kept busiest. If none was busy by Nsight Compute's rule (60
/// % of its peak): latency, and what warps waited for most. Empty if the profile does not say.
[[nodiscard]] std::string bottleneck_words(kernel_profile const& profile);

} // namespace lkt
