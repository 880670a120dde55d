// SPDX-License-Identifier: BSL-1.0
// Which options of a compiler a job may have: those that change how its text is compiled, and none
// that name a file to read or write.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::device_detail::options {

enum class use : unsigned char { passed, ignored, include_folder, standard, refused };

struct reading {
    use kind = use::refused;
    std::string text; ///< as the compiler takes it; of a folder its path
};

/// -I, -D, -U and -std=, which all compilers have, and what cannot be an option.
[[nodiscard]] std::optional<reading> read_common(std::string const& given);

/// What follows the first of the stems with which the option begins, without spaces.
[[nodiscard]] std::string_view after_any(std::string_view option,
                                         std::initializer_list<std::string_view> stems);

/// `name` or `name=value` of one of the lists, the value of harmless characters.
[[nodiscard]] bool is_any(std::string_view option,
                          std::initializer_list<std::string_view> plain,
                          std::initializer_list<std::string_view> valued);

} // namespace lkt::device_detail::options
