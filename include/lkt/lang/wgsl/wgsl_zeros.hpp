// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>

#include <string>
#include <string_view>

namespace lkt {

/// The WGSL text with the workgroup variables that `entry_point` uses set to zero when it begins,
/// by all threads together. WGSL promises that they are; wgpu-native leaves in them what the last
/// workgroup left. Nothing is changed where there are none. What is put in stands on the lines
/// that are there and behind the last one, so that the compiler's lines are the text's own.
/// Errors: those of `reflect_wgsl` for a text that is not understood; `lkt.kernel.unknown`;
/// `lkt.kernel.type`, for thousands of atomics outside of arrays.
[[nodiscard]] result<std::string> with_workgroup_zeros(kernel_source const& source,
                                                       std::string_view entry_point);

} // namespace lkt
