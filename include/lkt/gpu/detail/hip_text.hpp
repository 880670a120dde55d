// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace lkt::gpu_detail {

/// A HIP text without the lines that include HIP's own headers, for who has their declarations
/// anyway; the others keep their numbers.
[[nodiscard]] inline std::string without_hip_headers(std::string const& text) {
    auto const tokens = tokenize(text);
    if (!tokens) return text;
    std::string made = text;
    for (std::size_t k = 0; k + 2 < tokens->size(); ++k) {
        auto const& t = (*tokens)[k];
        auto const& header = (*tokens)[k + 2];
        if (!t.directive || !t.first || !(*tokens)[k + 1].is("include") ||
            !header.text.starts_with("<hip/"))
            continue;
        std::fill(made.begin() + static_cast<std::ptrdiff_t>(t.begin),
                  made.begin() + static_cast<std::ptrdiff_t>(header.end),
                  ' ');
    }
    return made;
}

} // namespace lkt::gpu_detail
