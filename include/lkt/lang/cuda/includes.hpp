// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The headers that C++ text includes outside of every condition, in order and as spelt:
/// `<mma.h>`, `"tile.h"`. None where `text` has no tokens.
[[nodiscard]] std::vector<std::string> includes_of(std::string_view text);

/// `text` behind an include line for each header of `original` that it does not include itself.
[[nodiscard]] std::string with_includes_of(std::string_view original, std::string text);

} // namespace lkt
