// SPDX-License-Identifier: BSL-1.0
// What the tests of the dialects share: requests, and ways to hand an answer over in pieces.
#pragma once

#include <lkt/llm/http/detail/wire_messages.hpp>

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace answers {

namespace http = lkt::detail::http;

inline lkt::chat_request ask(std::string text = "Make it faster.") {
    lkt::chat_request r;
    r.messages.push_back({lkt::role::user, std::move(text)});
    return r;
}

inline lkt::chat_request ask_for(lkt::answer_kind kind) {
    auto r = ask("How large? Answer in JSON.");
    r.format = lkt::answer_format{
        kind,
        "size",
        "The size of a tile",
        R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false})"};
    if (kind == lkt::answer_kind::json_object) r.format->schema.clear();
    return r;
}

inline lkt::http_options of(lkt::dialect d, std::string base_url = "") {
    lkt::http_options o;
    o.dialect = d;
    o.base_url = std::move(base_url);
    o.model = "m1";
    return o;
}

/// The body that a request is sent with.
inline boost::json::value
body(lkt::chat_request const& r, lkt::http_options const& o, std::string_view key = "") {
    auto const wire = http::encode(r, o, key);
    REQUIRE_MESSAGE(wire.has_value(), (wire ? std::string() : to_string(wire.error())));
    return boost::json::parse(wire->body);
}

inline http::wire_response whole(std::string text, std::string type = "application/json") {
    return {200, {{"content-type", std::move(type)}}, std::move(text)};
}

inline lkt::result<lkt::chat_reply>
read(lkt::chat_request const& r, lkt::http_options const& o, std::string text) {
    return http::decode(r, o, whole(std::move(text)));
}

/// What came out of a stream.
struct outcome {
    lkt::result<lkt::chat_reply> reply = lkt::error{};
    std::string passed_on;
    bool ended = false;
    friend bool operator==(outcome const& a, outcome const& b) {
        if (a.passed_on != b.passed_on || a.ended != b.ended) return false;
        if (a.reply.has_value() != b.reply.has_value()) return false;
        return a.reply ? *a.reply == *b.reply : a.reply.error() == b.reply.error();
    }
};

inline outcome in_pieces(lkt::chat_request const& r,
                         lkt::http_options const& o,
                         std::vector<std::string_view> const& pieces,
                         bool cut_off = false) {
    http::stream_decoder decoder(r, o);
    outcome out;
    for (auto const piece : pieces)
        if (auto broken = decoder.feed(piece, out.passed_on)) {
            out.reply = *broken;
            return out;
        }
    out.ended = decoder.ended();
    out.reply = decoder.finish(cut_off, out.passed_on);
    return out;
}

inline std::vector<std::string_view> single_bytes(std::string_view text) {
    std::vector<std::string_view> pieces;
    for (std::size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return pieces;
}

/// The stream's outcome, which is the same wherever it is cut: as a whole, in single bytes, and in
/// two at each place. What is passed on is the reply's text.
inline outcome stream(lkt::chat_request const& r,
                      lkt::http_options const& o,
                      std::string_view text,
                      bool cut_off = false) {
    auto const at_once = in_pieces(r, o, {text}, cut_off);
    if (at_once.reply) REQUIRE(at_once.passed_on == at_once.reply->text);
    auto const same = [&](outcome const& other) {
        if (other == at_once) return true;
        INFO(at_once.passed_on, " / ", other.passed_on);
        INFO((at_once.reply ? at_once.reply->text : to_string(at_once.reply.error())));
        INFO((other.reply ? other.reply->text : to_string(other.reply.error())));
        CHECK(other == at_once);
        return false;
    };
    REQUIRE(same(in_pieces(r, o, single_bytes(text), cut_off)));
    for (std::size_t at = 0; at <= text.size(); ++at)
        REQUIRE(same(in_pieces(r, o, {text.substr(0, at), text.substr(at)}, cut_off)));
    return at_once;
}

/// A stream of server-sent events with these data.
inline std::string events(std::initializer_list<std::string_view> data) {
    std::string text;
    for (auto const each : data) text.append("data: ").append(each).append("\n\n");
    return text;
}

/// The same for a dialect whose events have names, which are the `type` of the data.
inline std::string named_events(std::initializer_list<std::string_view> data) {
    std::string text;
    for (auto const each : data) {
        auto const value = boost::json::parse({each.data(), each.size()});
        text.append("event: ").append(value.at("type").as_string().c_str());
        text.append("\ndata: ").append(each).append("\n\n");
    }
    return text;
}

inline std::string code_of(lkt::result<lkt::chat_reply> const& r) {
    return r ? "a reply: " + r->text : r.error().code;
}

} // namespace answers
