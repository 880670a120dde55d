// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt::detail {

/// The longest run of `c` in `text`.
[[nodiscard]] inline std::size_t longest_run(std::string_view text, char c) {
    std::size_t longest = 0, run = 0;
    for (char const x : text) {
        run = x == c ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

/// `text` as a fenced block. The fence is longer than any run of backticks inside, so that nothing
/// in a kernel, a compiler's log or a note can end the quotation and speak for us.
[[nodiscard]] inline std::string fenced(std::string_view text, std::string_view info = {}) {
    std::string const fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
    std::string block = fence;
    block.append(info).append("\n").append(text);
    if (!text.empty() && text.back() != '\n') block += '\n';
    return block + fence + "\n";
}

/// One line of `text` between backticks, for names and short values.
[[nodiscard]] inline std::string ticked(std::string_view text) {
    std::string line(text);
    std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    std::string const tick(longest_run(line, '`') + 1, '`');
    bool const pad = line.empty() || line.front() == '`' || line.back() == '`';
    return tick + (pad ? " " : "") + line + (pad ? " " : "") + tick;
}

/// At most `limit` bytes: the beginning and the end of a text that is longer, cut at characters.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string(text);
    auto const inside = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    std::size_t head = limit * 2 / 3, tail = text.size() - (limit - head);
    while (head > 0 && inside(head)) --head;
    while (inside(tail)) ++tail;
    return std::string(text.substr(0, head)) + "\n[... " + std::to_string(tail - head) +
           " bytes left out ...]\n" + std::string(text.substr(tail));
}

} // namespace lkt::detail
