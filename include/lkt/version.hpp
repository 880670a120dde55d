// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace lkt {

/// The version of these headers, `major.minor.patch`; CMake reads it from this line.
inline constexpr std::string_view version = "0.1.0";

} // namespace lkt
