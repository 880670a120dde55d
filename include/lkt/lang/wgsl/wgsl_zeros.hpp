// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>

#include <string>
#include <string_view>

namespace lkt {

/// The WGSL text with the workgroup variables that `entry_point` uses set to zero when it begins,
/// by all threads together. WGSL requires this; wgpu-native leaves the last workgroup's values in
/// them. A text without such variables is unchanged. The additions are on existing lines and after
/// the last one, so that the compiler's line numbers are those of the text. Errors: those of
/// `reflect_wgsl` for a text that it cannot read; `lkt.kernel.unknown`; `lkt.kernel.type`, for
/// thousands of atomics outside of arrays.
[[nodiscard]] result<std::string> with_workgroup_zeros(kernel_source const& source,
                                                       std::string_view entry_point);

} // namespace lkt
