// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The headers that C++ text includes outside of every condition, in order and as spelt:
/// `<mma.h>`, `"tile.h"`. None where `text` has no tokens.
[[nodiscard]] std::vector<std::string> includes_of(std::string_view text);

/// `text` behind an include line for each header of `original` that it does not include itself.
[[nodiscard]] std::string with_includes_of(std::string_view original, std::string text);

/// What the toolkit's headers declare lies in these namespaces.
inline constexpr auto library_namespaces =
    std::to_array<std::string_view>({"cooperative_groups", "cub", "cuda", "nvcuda", "thrust"});

} // namespace lkt
