// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// Length of the well-formed UTF-8 sequence at `at`, 0 where there is none.
[[nodiscard]] constexpr std::size_t sequence_length(std::string_view text, std::size_t at) {
    return utf8_length(text, at);
}

/// `text` with U+FFFD in the place of each byte that is not UTF-8: replies hold such bytes, and
/// JSON cannot.
[[nodiscard]] inline std::string well_formed(std::string_view text) {
    return well_formed_utf8(text);
}

} // namespace lkt::detail
