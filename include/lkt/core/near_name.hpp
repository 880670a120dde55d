// SPDX-License-Identifier: BSL-1.0
// One answer, everywhere, to the question which name a misspelt one stands for.
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Edits of one letter (insert, delete, replace, swap of neighbours) between two names, whatever
/// their case; the restricted Damerau-Levenshtein distance.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that `given` is a misspelling of, or the beginning of: one edit away where it has
/// four or five letters, two where it is longer, none where it is shorter. Empty where none is.
[[nodiscard]] std::string_view near_name(std::string_view given,
                                         std::span<std::string_view const> known);

/// `; did you mean webgpu?` for the end of a message, or nothing. `before` stands before the name.
[[nodiscard]] std::string did_you_mean(std::string_view given,
                                       std::span<std::string_view const> known,
                                       std::string_view before = {});

/// The same over a list as messages have it: `one-prompt, refine, beam`.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::string_view known);

} // namespace lkt
