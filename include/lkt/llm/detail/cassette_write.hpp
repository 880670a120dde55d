// SPDX-License-Identifier: BSL-1.0
// Writes JSON (Boost.JSON).
#pragma once

#include <lkt/llm/cassette.hpp>
#include <lkt/llm/detail/utf8.hpp>
#include <lkt/llm/request_key.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <string_view>

namespace lkt {

namespace detail {

[[nodiscard]] inline boost::json::object request_json(chat_request const& request) {
    boost::json::array messages;
    for (message const& m : request.messages)
        messages.push_back(
            boost::json::object{{"role", to_string(m.role)}, {"text", well_formed(m.text)}});
    boost::json::object json{{"messages", std::move(messages)}};
    if (request.temperature) json["temperature"] = *request.temperature;
    if (request.max_tokens) json["max_tokens"] = *request.max_tokens;
    if (request.seed) json["seed"] = *request.seed;
    return json;
}

[[nodiscard]] inline boost::json::object reply_json(chat_reply const& reply) {
    boost::json::object json{{"text", well_formed(reply.text)}};
    if (!reply.reasoning.empty()) json["reasoning"] = well_formed(reply.reasoning);
    if (!reply.model.empty()) json["model"] = well_formed(reply.model);
    json["finish"] = to_string(reply.finish);
    json["usage"] = {{"input", reply.usage.input}, {"output", reply.usage.output}};
    return json;
}

[[nodiscard]] inline boost::json::object error_json(error const& e) {
    boost::json::object json{{"condition", to_string(e.kind)},
                             {"code", well_formed(e.code)},
                             {"message", well_formed(e.message)}};
    if (!e.hint.empty()) json["hint"] = well_formed(e.hint);
    return json;
}

} // namespace detail

inline std::string to_line(cassette_header const& header) {
    boost::json::object json{{"lkt_cassette", cassette_version}};
    if (!header.model.empty()) json["model"] = detail::well_formed(header.model);
    json["origin"] = to_string(header.origin);
    json["match"] = to_string(header.match);
    if (!header.note.empty()) json["note"] = detail::well_formed(header.note);
    return boost::json::serialize(json);
}

inline std::string to_line(cassette_exchange const& exchange) {
    boost::json::object json;
    if (exchange.request) {
        json["key"] = request_key(*exchange.request);
        json["request"] = detail::request_json(*exchange.request);
    }
    if (!exchange.expect.empty()) {
        boost::json::array texts;
        for (std::string const& text : exchange.expect)
            texts.emplace_back(detail::well_formed(text));
        json["expect"] = std::move(texts);
    }
    if (exchange.outcome)
        json["reply"] = detail::reply_json(*exchange.outcome);
    else
        json["error"] = detail::error_json(exchange.outcome.error());
    if (!exchange.note.empty()) json["note"] = detail::well_formed(exchange.note);
    return boost::json::serialize(json);
}

inline std::string to_text(cassette const& tape) {
    std::string text = to_line(tape.header) + "\n";
    for (cassette_exchange const& exchange : tape.exchanges) text += to_line(exchange) + "\n";
    return text;
}

} // namespace lkt
