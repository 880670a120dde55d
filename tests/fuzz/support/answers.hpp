// SPDX-License-Identifier: BSL-1.0
// What holds for every answer of a server.
#pragma once

#include "property.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <utility>

namespace lkt_fuzz {

inline lkt::http_options options_of(unsigned choice) {
    lkt::http_options options;
    options.dialect = static_cast<lkt::dialect>(choice % 8 % 6);
    options.model = "m1";
    options.max_reply = (choice & 0x40u) != 0 ? 64 : 1 << 20;
    return options;
}

inline lkt::chat_request request_of(unsigned choice) {
    lkt::chat_request request;
    request.messages = {{lkt::role::user, "How large?"}};
    if ((choice & 0x08u) != 0)
        request.format = lkt::answer_format{lkt::answer_kind::tool_call, "size", "", "{}"};
    return request;
}

inline void require_reply(lkt::result<lkt::chat_reply> const& reply, std::string_view text) {
    if (!reply) {
        require_error(reply.error());
        require(reply.error().code.starts_with("lkt.http."), "the code is documented", text);
        return;
    }
    require(lkt::well_formed_utf8(reply->text) == reply->text, "the text is UTF-8", text);
    require(lkt::well_formed_utf8(reply->reasoning) == reply->reasoning, "as all is", text);
    lkt::token_usage const& u = reply->usage;
    require(u.input >= 0 && u.output >= 0, "tokens are not negative", text);
    require(u.cached >= 0 && u.cached <= u.input, "what was cached is part of the input", text);
    require(u.reasoning >= 0 && u.reasoning <= u.output, "and reasoning of the output", text);
}

struct streamed {
    lkt::result<lkt::chat_reply> reply = lkt::error{};
    std::string passed_on;
    bool ended = false;
};

inline streamed stream(unsigned choice, std::string_view text, std::size_t step, bool cut_off) {
    auto const request = request_of(choice);
    auto const options = options_of(choice);
    lkt::detail::http::stream_decoder decoder(request, options);
    streamed out;
    for (std::size_t at = 0; at < text.size(); at += step) {
        auto broken = decoder.feed(text.substr(at, step), out.passed_on);
        require(lkt::well_formed_utf8(out.passed_on) == out.passed_on,
                "characters are passed on whole",
                text);
        if (!broken) continue;
        out.reply = std::move(*broken);
        return out;
    }
    out.ended = decoder.ended();
    out.reply = decoder.finish(cut_off, out.passed_on);
    return out;
}

/// Wherever an answer is cut, its reply is the same, and what was passed on is its text.
inline void check_stream(unsigned choice, std::string_view text, std::size_t step) {
    for (bool const cut_off : {false, true}) {
        auto const whole = stream(choice, text, text.size() + 1, cut_off);
        auto const pieces = stream(choice, text, step, cut_off);
        require_reply(whole.reply, text);
        require(whole.reply.has_value() == pieces.reply.has_value(), "a reply or none", text);
        require(whole.ended == pieces.ended, "the end is the same", text);
        require(whole.passed_on == pieces.passed_on, "the same is passed on", text);
        if (whole.reply) {
            require(*whole.reply == *pieces.reply, "the reply is the same", text);
            require(whole.passed_on == whole.reply->text, "what was passed on is its text", text);
        } else {
            require(whole.reply.error() == pieces.reply.error(), "the error is the same", text);
        }
    }
}

} // namespace lkt_fuzz
