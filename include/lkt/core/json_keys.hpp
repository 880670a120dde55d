// SPDX-License-Identifier: BSL-1.0
// Names that a JSON object has twice: parsers keep one of the two values, and nobody hears which.
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// A name that its object had already.
struct repeated_key {
    std::string name;   ///< as it is meant, its escapes read
    std::size_t at = 0; ///< where it stands the second time: the byte of its opening quote
    friend bool operator==(repeated_key const&, repeated_key const&) = default;
};

/// The first repeated key in a JSON text that a parser accepts; of any other text something, or
/// nothing. Names are equal if they mean the same characters, however these are escaped.
[[nodiscard]] std::optional<repeated_key> find_repeated_key(std::string_view json);

/// The same in words: `line 3, column 7: the field a occurs twice in one object`.
[[nodiscard]] std::optional<std::string> describe_repeated_key(std::string_view json);

/// What a text that is not JSON may have instead.
inline constexpr char const* json_hint =
    "JSON has no comments, no NaN or Infinity, and no comma before a closing bracket";

/// `line 3, column 7` of a byte in a text; both count from 1.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t at);

} // namespace lkt
