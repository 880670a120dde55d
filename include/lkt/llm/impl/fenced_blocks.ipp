// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/fenced_blocks.hpp>

#include <lkt/llm/detail/fence_line.hpp>

namespace lkt {

std::string fenced_block::language() const {
    std::string word;
    for (char const c : info) {
        if (is_blank(c) || c == '{' || c == ',' || c == ':') break;
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    return word;
}

std::vector<fenced_block> fenced_blocks(std::string_view text) {
    std::vector<fenced_block> blocks;
    detail::fence_line open;
    auto const begin_block = [&](detail::fence_line const& fence, std::size_t at) {
        open = fence;
        blocks.push_back({std::string(fence.info), {}, at, text.size(), false});
    };
    for (std::size_t at = 0; at < text.size();) {
        auto const line = detail::line_at(text, at);
        auto const fence = detail::read_fence(line.text);
        if (!open.exists()) {
            if (fence) begin_block(*fence, at);
        } else if (fence && fence->closes(open)) {
            blocks.back().end = line.next;
            blocks.back().closed = true;
            open = {};
        } else if (fence && fence->interrupts(open)) {
            blocks.back().end = at;
            begin_block(*fence, at);
        } else {
            auto content = line.text;
            for (std::size_t i = 0; i < open.indent && !content.empty() &&
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
