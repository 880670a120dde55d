// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/extract_code.hpp>

#include <lkt/llm/detail/code_shape.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/fenced_blocks.hpp>
#include <lkt/llm/thinking.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace lkt {

namespace detail {

/// Fences in fences are followed this deep.
inline constexpr int deepest_fence = 4;

/// A block that shows Markdown rather than code: its own blocks are looked at.
[[nodiscard]] inline bool wraps_blocks(fenced_block const& block) {
    auto const language = block.language();
    bool const prose = language.empty() || language == "markdown" || language == "md" ||
                       language == "text" || language == "txt";
    return prose && holds_fence(block.text);
}

/// What has been seen so far; the best of it is the answer.
struct code_search {
    lkt::language language;
    std::optional<std::string> kernel; ///< the last text that defines a kernel
    std::size_t blocks = 0;

    void look_into(std::string_view text, int depth) {
        std::string outside;
        std::size_t at = 0;
        for (fenced_block& block : fenced_blocks(text)) {
            ++blocks;
            outside.append(text.substr(at, block.begin - at)).append("\n");
            at = block.end;
            bool const nested = depth < deepest_fence && wraps_blocks(block);
            if (nested)
                look_into(block.text, depth + 1);
            else if (defines_kernel(block.text, language))
                kernel = std::move(block.text);
        }
        outside.append(text.substr(at));
        if (!kernel && looks_like_code(outside) && defines_kernel(outside, language))
            kernel = std::string(trimmed(outside)) + "\n";
    }
};

} // namespace detail

std::variant<std::string, no_code> extract_code(std::string_view reply, language in) {
    auto const split = split_thinking(reply);
    detail::code_search search{in, {}, 0};
    search.look_into(split.answer, 0);
    if (search.kernel) return std::move(*search.kernel);

    std::string const wanted =
        in == language::wgsl ? "a @compute entry point" : "a __global__ function with a body";
    if (trimmed(split.answer).empty()) {
        if (split.cut_off) return no_code{"the reply ended while the model was still reasoning"};
        if (!split.reasoning.empty()) return no_code{"the reply contains only reasoning"};
        return no_code{"the reply is empty"};
    }
    if (search.blocks == 0)
        return no_code{"the reply has no fenced code block, and as a whole it is not the text of a "
                       "kernel"};
    if (search.blocks == 1)
        return no_code{"the reply's only fenced block does not define a kernel (" + wanted + ")"};
    return no_code{"none of the reply's " + std::to_string(search.blocks) +
                   " fenced blocks defines a kernel (" + wanted + ")"};
}

} // namespace lkt
