// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace lkt {

inline constexpr std::string_view warning_prefix = "warning: ";

/// A note that a reader must see first: reports put it at their top.
[[nodiscard]] inline std::string warning(std::string_view text) {
    return std::string(warning_prefix) += text;
}
[[nodiscard]] constexpr bool is_warning(std::string_view note) {
    return note.starts_with(warning_prefix);
}
/// The note without its mark.
[[nodiscard]] constexpr std::string_view text_of_warning(std::string_view note) {
    return is_warning(note) ? note.substr(warning_prefix.size()) : note;
}

} // namespace lkt
