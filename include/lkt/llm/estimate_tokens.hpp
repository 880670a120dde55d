// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/message.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace lkt {

/// About how many tokens a text has: one for each four bytes begun. Tokenizers differ by a third in
/// either direction, and by more for digits and scripts other than Latin; good for budgets and
/// limits, and for a server that does not count.
[[nodiscard]] constexpr std::int64_t estimate_tokens(std::string_view text) {
    return static_cast<std::int64_t>(text.size() / 4 + (text.size() % 4 != 0 ? 1 : 0));
}

/// Of a whole conversation: besides its texts, each turn takes about four tokens for its role and
/// its ends.
[[nodiscard]] inline std::int64_t estimate_tokens(std::span<message const> turns) {
    std::int64_t tokens = 0;
    for (message const& turn : turns) tokens += 4 + estimate_tokens(std::string_view(turn.text));
    return tokens;
}

} // namespace lkt
