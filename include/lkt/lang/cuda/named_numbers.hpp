// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Those of `names` that a text of CUDA or HIP makes whole numbers: macros (`#define BK 32`),
/// constants and enumerators (`constexpr int BM = 2 * BK;`). What the text leaves open is left out.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
named_numbers(std::string_view text, std::span<std::string const> names);

} // namespace lkt
