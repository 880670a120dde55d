// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/cassette.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/cassette_read.hpp>
#include <lkt/llm/detail/read_file.hpp>
#include <lkt/llm/request_key.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace lkt {

namespace detail {

[[nodiscard]] inline boost::json::object request_json(chat_request const& request) {
    boost::json::array messages;
    for (message const& m : request.messages)
        messages.push_back(
            boost::json::object{{"role", to_string(m.role)}, {"text", well_formed_utf8(m.text)}});
    boost::json::object json{{"messages", std::move(messages)}};
    if (request.temperature) json["temperature"] = *request.temperature;
    if (request.max_tokens) json["max_tokens"] = *request.max_tokens;
    if (request.seed) json["seed"] = *request.seed;
    if (request.format) {
        answer_format const& f = *request.format;
        boost::json::object format{{"kind", to_string(f.kind)}};
        if (!f.name.empty()) format["name"] = well_formed_utf8(f.name);
        if (!f.description.empty()) format["description"] = well_formed_utf8(f.description);
        if (!f.schema.empty()) format["schema"] = well_formed_utf8(f.schema);
        json["format"] = std::move(format);
    }
    if (request.effort) json["effort"] = to_string(*request.effort);
    return json;
}

[[nodiscard]] inline boost::json::object reply_json(chat_reply const& reply) {
    boost::json::object json{{"text", well_formed_utf8(reply.text)}};
    if (!reply.reasoning.empty()) json["reasoning"] = well_formed_utf8(reply.reasoning);
    if (!reply.model.empty()) json["model"] = well_formed_utf8(reply.model);
    json["finish"] = to_string(reply.finish);
    token_usage const& used = reply.usage;
    boost::json::object usage{{"input", used.input}, {"output", used.output}};
    if (used.cached != 0) usage["cached"] = used.cached;
    if (used.reasoning != 0) usage["reasoning"] = used.reasoning;
    if (used.estimated) usage["estimated"] = true;
    json["usage"] = std::move(usage);
    return json;
}

[[nodiscard]] inline boost::json::object error_json(error const& e) {
    boost::json::object json{{"condition", to_string(e.kind)},
                             {"code", well_formed_utf8(e.code)},
                             {"message", well_formed_utf8(e.message)}};
    if (!e.hint.empty()) json["hint"] = well_formed_utf8(e.hint);
    if (e.retry_after) json["retry_after_ms"] = e.retry_after->count();
    if (e.attempts != 1) json["attempts"] = e.attempts; // whoever retries goes on from there
    return json;
}

} // namespace detail

result<cassette> parse_cassette(std::string_view text, std::string name) {
    auto found = detail::read_lines(text, name);
    if (!found) return found.error();
    if (found->cut_off)
        return error{condition::rejected,
                     "lkt.cassette.cut-off",
                     name + ", line " + std::to_string(found->lines + 1) +
                         " is cut off: writing it was interrupted; the " +
                         std::to_string(found->tape.exchanges.size()) +
                         " exchanges before it are whole",
                     "delete that line, or continue recording into the file"};
    if (!found->has_header)
        return error{condition::rejected,
                     "lkt.cassette.malformed",
                     name + ", line 1: the cassette is empty",
                     std::string(detail::cassette_hint)};
    return std::move(found->tape);
}

result<cassette> read_cassette(std::string const& path) {
    auto text = detail::read_file(path, max_cassette_bytes);
    if (!text) return text.error();
    return parse_cassette(*text, path);
}

std::string to_line(cassette_header const& header) {
    boost::json::object json{{"lkt_cassette", cassette_version}};
    if (!header.model.empty()) json["model"] = well_formed_utf8(header.model);
    json["origin"] = to_string(header.origin);
    json["match"] = to_string(header.match);
    if (!header.note.empty()) json["note"] = well_formed_utf8(header.note);
    return plain_json(boost::json::serialize(json));
}

std::string to_line(cassette_exchange const& exchange) {
    boost::json::object json;
    if (exchange.request) {
        json["key"] = request_key(*exchange.request);
        json["request"] = detail::request_json(*exchange.request);
    }
    if (!exchange.expect.empty()) {
        boost::json::array texts;
        for (std::string const& text : exchange.expect) texts.emplace_back(well_formed_utf8(text));
        json["expect"] = std::move(texts);
    }
    if (exchange.outcome)
        json["reply"] = detail::reply_json(*exchange.outcome);
    else
        json["error"] = detail::error_json(exchange.outcome.error());
    if (!exchange.note.empty()) json["note"] = well_formed_utf8(exchange.note);
    return plain_json(boost::json::serialize(json));
}

std::string to_text(cassette const& tape) {
    std::string text = to_line(tape.header) + "\n";
    for (cassette_exchange const& exchange : tape.exchanges) text += to_line(exchange) + "\n";
    return text;
}

} // namespace lkt
