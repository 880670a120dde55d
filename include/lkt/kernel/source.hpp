// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace lkt {

/// The language that a kernel's text is written in.
enum class language : unsigned char { cuda, hip, wgsl };

[[nodiscard]] constexpr std::string_view to_string(language l) {
    switch (l) {
    case language::cuda:
        return "CUDA";
    case language::hip:
        return "HIP";
    case language::wgsl:
        return "WGSL";
    }
    return "unknown";
}

/// The text of a kernel, with its helper functions and macros.
struct kernel_source {
    lkt::language language = lkt::language::cuda;
    std::string text;
    std::string origin; ///< where it came from, for messages: a file's path, `reply 3`

    friend bool operator==(kernel_source const&, kernel_source const&) = default;
};

/// Longest text that is read as a kernel, in bytes.
inline constexpr std::size_t max_kernel_bytes = 1u << 20;

} // namespace lkt
