// SPDX-License-Identifier: BSL-1.0
// Lines of Markdown, and which of them open or close a fenced block.
#pragma once

#include <lkt/core/string_tools.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace lkt::detail {

/// The line that begins at `at`, without its end (LF or CRLF); `next` is where the next one begins.
struct text_line {
    std::string_view text;
    std::size_t next = 0;
};
[[nodiscard]] constexpr text_line line_at(std::string_view text, std::size_t at) {
    auto const end = text.find('\n', at);
    if (end == text.npos) return {text.substr(at), text.size()};
    auto line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return {line, end + 1};
}

/// A line that is a fence: at least three backticks or tildes, then perhaps an info string.
struct fence_line {
    char mark = '`';
    std::size_t length = 0; ///< of the marks; 0 stands for no fence
    std::size_t indent = 0; ///< white space before them
    std::string_view info;

    [[nodiscard]] constexpr bool exists() const { return length > 0; }
    [[nodiscard]] constexpr bool closes(fence_line const& opening) const {
        return mark == opening.mark && length >= opening.length && info.empty();
    }
    /// An opening fence within an open block of the same kind. No line of code looks like that: the
    /// closing fence was forgotten, or a block was put into a block with fences of one length.
    [[nodiscard]] constexpr bool interrupts(fence_line const& opening) const {
        return mark == opening.mark && length == opening.length && !info.empty();
    }
};

[[nodiscard]] constexpr std::optional<fence_line> read_fence(std::string_view line) {
    fence_line fence;
    while (fence.indent < line.size() && (line[fence.indent] == ' ' || line[fence.indent] == '\t'))
        ++fence.indent;
    line.remove_prefix(fence.indent);
    if (line.empty() || (line.front() != '`' && line.front() != '~')) return std::nullopt;
    fence.mark = line.front();
    while (fence.length < line.size() && line[fence.length] == fence.mark) ++fence.length;
    if (fence.length < 3) return std::nullopt;
    fence.info = trimmed(line.substr(fence.length));
    // ```like this``` is a piece of code within a line.
    if (fence.mark == '`' && fence.info.find('`') != line.npos) return std::nullopt;
    return fence;
}

/// Whether a position lies in a fenced block; positions are asked for in rising order.
class fence_scan {
public:
    fence_scan(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    [[nodiscard]] bool inside(std::size_t position) {
        while (at_ < text_.size()) {
            auto const line = line_at(text_, at_);
            if (line.next > position) break;
            if (auto const fence = read_fence(line.text)) {
                if (!open_.exists() || fence->interrupts(open_))
                    open_ = *fence;
                else if (fence->closes(open_))
                    open_ = {};
            }
            at_ = line.next;
        }
        return open_.exists();
    }
    /// Goes on at `at`, outside of any block.
    void restart(std::size_t at) {
        at_ = at;
        open_ = {};
    }

private:
    std::string_view text_;
    std::size_t at_;
    fence_line open_; ///< of the block that contains a position
};

} // namespace lkt::detail
