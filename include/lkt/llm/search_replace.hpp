// SPDX-License-Identifier: BSL-1.0
// Patches as language models write them: what is there, and what is to be there instead.
#pragma once

#include <lkt/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Lines of a text, and those that take their place. Each line ends in LF.
struct text_edit {
    std::string search, replace;
    friend bool operator==(text_edit const&, text_edit const&) = default;
};

/// Most edits that are read from one reply.
inline constexpr std::size_t max_edits = 64;

/// The edits in a reply, in order. An edit is
///
///     <<<<<<< SEARCH
///     lines of the text
///     =======
///     the lines instead
///     >>>>>>> REPLACE
///
/// with each marker on a line of its own; reasoning and other text is ignored. Errors (rejected,
/// `lkt.patch.form`): a marker at the wrong place, an edit that does not end, one that has an empty
/// search text, more than `max_edits`.
[[nodiscard]] result<std::vector<text_edit>> read_edits(std::string_view reply);

/// `text` after the edits, one after the other. Whole lines are searched for; white space at their
/// ends does not count. Errors (rejected, `lkt.patch.search`): lines that are not there, or more
/// than once.
[[nodiscard]] result<std::string> apply_edits(std::string_view text,
                                              std::span<text_edit const> edits);

} // namespace lkt
