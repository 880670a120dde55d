// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/fence_line.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
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
    [[nodiscard]] std::string language() const {
        std::string word;
        for (char const c : info) {
            if (detail::is_blank(c) || c == '{' || c == ',' || c == ':') break;
            word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        }
        return word;
    }
};

/// The fenced blocks of a Markdown text in order, as CommonMark reads them and a little more
/// tolerant: any indentation; a block that is never closed goes to the end of the text; an opening
/// fence with an info string within a block ends that block. Shorter fences inside a block belong
/// to its text. Linear in the size of the text.
[[nodiscard]] inline std::vector<fenced_block> fenced_blocks(std::string_view text) {
    std::vector<fenced_block> blocks;
    std::optional<detail::fence_line> open;
    auto const begin_block = [&](detail::fence_line const& fence, std::size_t at) {
        open = fence;
        blocks.push_back({std::string(fence.info), {}, at, text.size(), false});
    };
    for (std::size_t at = 0; at < text.size();) {
        auto const line = detail::line_at(text, at);
        auto const fence = detail::read_fence(line.text);
        if (!open) {
            if (fence) begin_block(*fence, at);
        } else if (fence && fence->closes(*open)) {
            blocks.back().end = line.next;
            blocks.back().closed = true;
            open.reset();
        } else if (fence && fence->interrupts(*open)) {
            blocks.back().end = at;
            begin_block(*fence, at);
        } else {
            auto content = line.text;
            for (std::size_t i = 0; i < open->indent && !content.empty() &&
                                    (content.front() == ' ' || content.front() == '\t');
                 ++i)
                content.remove_prefix(1);
            blocks.back().text.append(content).append("\n");
        }
        at = line.next;
    }
    return blocks;
}

} // namespace lkt
