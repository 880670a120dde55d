// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// A block between lines of at least three backticks or tildes.
struct fenced_block {
    std::string info;      ///< what follows the opening fence: `cuda`, `json`; may be empty
    std::string text;      ///< lines end in LF; the fence's indentation is removed
    std::size_t begin = 0; ///< of the opening fence's line, in bytes of the whole text
    std::size_t end = 0;   ///< behind the closing fence's line
    bool closed = true;    ///< false where the closing fence is missing
    friend bool operator==(fenced_block const&, fenced_block const&) = default;

    /// First word of `info` in lower case, without attributes: `cuda` of "```CUDA {.numbers}".
    [[nodiscard]] std::string language() const;
};

/// The fenced blocks of a Markdown text in order, as CommonMark reads them and a little more
/// tolerant: any indentation; a block that is never closed goes to the end of the text; an opening
/// fence with an info string within a block ends that block. Shorter fences inside a block belong
/// to its text. Linear in the size of the text.
[[nodiscard]] std::vector<fenced_block> fenced_blocks(std::string_view text);

} // namespace lkt
