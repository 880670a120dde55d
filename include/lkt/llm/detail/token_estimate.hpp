// SPDX-License-Identifier: BSL-1.0
// How many tokens a call takes, where nobody has counted them.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lkt::detail {

/// Four bytes a token: the common rule of thumb for English text and code.
[[nodiscard]] constexpr std::int64_t estimated_tokens(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + 3) / 4);
}

[[nodiscard]] inline std::int64_t estimated_input(chat_request const& request) {
    std::size_t bytes = 0;
    // What separates turns takes some tokens too.
    for (message const& m : request.messages) bytes += m.text.size() + 16;
    if (request.format) bytes += request.format->schema.size() + request.format->description.size();
    return estimated_tokens(bytes);
}

/// `otherwise`: for a request that sets no limit.
[[nodiscard]] inline std::int64_t max_output(chat_request const& request, std::int64_t otherwise) {
    return std::max<std::int64_t>(0, request.max_tokens ? *request.max_tokens : otherwise);
}

/// As the reply says, or estimated where it says nothing.
[[nodiscard]] inline token_usage usage_of(chat_request const& request, chat_reply const& reply) {
    if (reply.usage.input != 0 || reply.usage.output != 0) return reply.usage;
    token_usage usage;
    usage.input = estimated_input(request);
    usage.output = estimated_tokens(reply.text.size() + reply.reasoning.size());
    usage.estimated = true;
    return usage;
}

} // namespace lkt::detail
