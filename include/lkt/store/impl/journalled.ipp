// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/codec.hpp>
#include <lkt/store/journalled.hpp>

namespace lkt::detail {

/// 96 bits of two unlike hashes, in the place of a request that may be long.
std::string key_of_request(chat_request const& request) {
    auto const bytes = encoded(request);
    std::string key;
    byte_writer w(key);
    w.number(digest{}.add(bytes).value());
    w.number(crc32c(bytes));
    return key;
}

std::optional<chat_reply> reply_log::take(chat_request const& request,
                                          call_context const& context) {
    if (!journal_) return std::nullopt;
    auto const bytes = journal_->take_reply(key_of_request(request));
    chat_reply reply;
    if (!bytes || !decode(*bytes, reply)) return std::nullopt;
    if (context.on_text && !reply.text.empty()) context.on_text(reply.text);
    return reply;
}

result<chat_reply> reply_log::keep(chat_request const& request, result<chat_reply> reply) {
    if (!journal_ || !reply) return reply;
    if (auto kept = journal_->add_reply(key_of_request(request), encoded(*reply)); !kept)
        return kept.error();
    return reply;
}

} // namespace lkt::detail
