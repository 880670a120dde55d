// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/extract_json.hpp>

#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/fenced_blocks.hpp>
#include <lkt/llm/thinking.hpp>

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

/// A block says that it is JSON, or says nothing and begins like it.
[[nodiscard]] inline bool is_json_block(fenced_block const& block) {
    auto const language = block.language();
    if (language == "json" || language == "jsonc" || language == "json5") return true;
    if (!language.empty() && language != "text" && language != "txt") return false;
    return begins_like_json(block.text);
}

[[nodiscard]] inline std::optional<std::string> last_json(std::string_view text, int depth) {
    std::optional<std::string> found;
    std::string outside;
    std::size_t at = 0;
    for (fenced_block& block : fenced_blocks(text)) {
        outside.append(text.substr(at, block.begin - at)).append("\n");
        at = block.end;
        if (is_json_block(block)) {
            found = std::move(block.text);
        } else if (depth < 4 && (block.language().empty() || block.language() == "markdown" ||
                                 block.language() == "md")) {
            if (auto inner = last_json(block.text, depth + 1)) found = std::move(inner);
        }
    }
    outside.append(text.substr(at));
    auto const rest = trimmed(outside);
    if (!found && begins_like_json(rest) && (rest.ends_with('}') || rest.ends_with(']')))
        found = std::string(rest);
    return found;
}

} // namespace detail

result<boost::json::value> extract_json(std::string_view reply, json_limits limits) {
    auto const text = detail::last_json(split_thinking(reply).answer, 0);
    if (!text)
        return error{condition::rejected,
                     "lkt.extract.no-json",
                     "the reply has no fenced json block",
                     "end the answer with one fenced json block"};
    if (text->size() > limits.bytes)
        return error{condition::rejected,
                     "lkt.extract.malformed-json",
                     "the json block has " + std::to_string(text->size()) + " bytes; at most " +
                         std::to_string(limits.bytes) + " are read",
                     "answer with a shorter json block"};
    detail::json_fault fault;
    auto value = detail::read_json(*text, {limits.depth, true}, fault);
    if (value) return std::move(*value);
    return error{condition::rejected,
                 "lkt.extract.malformed-json",
                 "the json block is not valid JSON: " + fault.words(),
                 "repeat the block as one valid JSON object"};
}

} // namespace lkt
