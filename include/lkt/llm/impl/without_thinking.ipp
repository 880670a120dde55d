// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/without_thinking.hpp>

namespace lkt::detail {

void take_thinking(result<chat_reply>& reply,
                   std::span<thinking_tags const> tags,
                   call_context const& context) {
    if (!reply) return;
    auto split = split_thinking(reply->text, tags);
    reply->text = std::move(split.answer);
    if (!reply->reasoning.empty() && !split.reasoning.empty()) reply->reasoning += '\n';
    reply->reasoning += split.reasoning;
    if (context.on_text && !reply->text.empty()) context.on_text(reply->text);
}

} // namespace lkt::detail
