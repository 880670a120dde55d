// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace lkt::hip_detail::hiprtc_parts {

/// Headers of HIP whose content HIPRTC has anyway.
inline constexpr std::string_view built_in[] = {"hip/hip_runtime.h",
                                                "hip/hip_runtime_api.h",
                                                "hip/hip_fp16.h",
                                                "hip/hip_vector_types.h",
                                                "hip/math_functions.h",
                                                "hip/device_functions.h"};
// An empty text makes HIPRTC 5.2 read by way of a null pointer.
inline constexpr char const* header_text = "#pragma once\n";

} // namespace lkt::hip_detail::hiprtc_parts
