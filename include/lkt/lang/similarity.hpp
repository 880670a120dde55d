// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string_view>

namespace lkt {

/// Whether two kernels' texts are the same except for comments and white space. Texts that cannot
/// be read as tokens are the same if their bytes are.
[[nodiscard]] bool same_tokens(std::string_view a, std::string_view b);

/// The similarity of two texts, from 0 to 1: twice the runs of three tokens that they share,
/// divided by the runs of both (the coefficient of Dice, 1945, and Sorensen, 1948). 1 for the same
/// tokens. Linear in the texts, plus a sort.
[[nodiscard]] double similarity(std::string_view a, std::string_view b);

} // namespace lkt
