// SPDX-License-Identifier: BSL-1.0
// Servers that run.py has started.
#pragma once

#include <lkt/llm/ask.hpp>
#include <lkt/llm/http.hpp>
#include <lkt/llm/schema.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace peer {

inline std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    INFO("run by tests/llm/peers/run.py, which sets it: ", name);
    REQUIRE(value != nullptr);
    return value;
}

inline lkt::http_options options(lkt::dialect d, std::string url, std::string model) {
    lkt::http_options o;
    o.dialect = d;
    o.base_url = std::move(url);
    o.model = std::move(model);
    o.proxy = "none";
    o.key_variable = "LKT_PEER_KEY";
    o.timeouts.total = lkt::seconds(60);
    return o;
}

/// llama.cpp's server, with a model of random weights.
inline lkt::http_options llama(lkt::dialect d) {
    std::string url = variable("LKT_PEER_LLAMA");
    if (d != lkt::dialect::anthropic) url += "/v1";
    return options(d, url, "tiny");
}

/// litellm's proxy, before models whose answers litellm_proxy.py has.
inline lkt::http_options litellm(lkt::dialect d, std::string model) {
    std::string url = variable("LKT_PEER_LITELLM");
    if (d != lkt::dialect::anthropic) url += "/v1";
    return options(d, url, std::move(model));
}

/// ollama-proxy-plus, in front of such a server.
inline lkt::http_options ollama_proxy(std::string model) {
    return options(lkt::dialect::ollama, variable("LKT_PEER_OLLAMA_PROXY"), std::move(model));
}

/// A server that need not be there: its address and its model's name, in one variable.
inline std::optional<lkt::http_options>
perhaps(lkt::dialect d, char const* name, char const* why_not, std::string const& path = "") {
    char const* const value = std::getenv(name);
    if (value == nullptr) {
        MESSAGE("skipped: " << why_not);
        return std::nullopt;
    }
    std::string const both = value;
    auto const space = both.find(' ');
    return options(d, both.substr(0, space) + path, both.substr(space + 1));
}

inline lkt::chat_request question(std::string text = "Say something.") {
    lkt::chat_request r;
    r.messages = {{lkt::role::system, "Be brief."}, {lkt::role::user, std::move(text)}};
    return r;
}

/// The reply, whose pieces were its text.
inline lkt::chat_reply ask(lkt::http_model& model, lkt::chat_request const& request) {
    std::string pieces;
    lkt::call_context context;
    context.on_text = [&](std::string_view text) { pieces += text; };
    auto const reply = model.complete(request, context);
    std::string const fault = reply ? std::string() : to_string(reply.error());
    INFO(fault);
    REQUIRE(reply.has_value());
    CHECK(pieces == reply->text);
    return *reply;
}

/// Its first reply is the struct that is asked for, in this mode.
template <class Answer>
void answers(lkt::http_options const& options,
             lkt::answer_mode mode,
             lkt::chat_request const& request) {
    std::string const schema = lkt::schema_of<Answer>();
    CAPTURE(schema);
    CAPTURE(to_string(options.dialect));
    CAPTURE(options.stream);
    lkt::http_model model(options);
    lkt::ask_options how;
    how.mode = mode;
    how.attempts = 1;
    auto const answer = lkt::ask<Answer>(model, request, how);
    std::string const fault = answer ? std::string() : to_string(answer.error());
    INFO(fault);
    CHECK(answer.has_value());
    if (answer) CHECK(answer->mode == mode);
}

/// Two turns and a question, asked so that the reply can come again.
inline lkt::chat_request third_turn(int max_tokens, lkt::effort effort) {
    auto r = question();
    r.messages.push_back({lkt::role::assistant, "Something."});
    r.messages.push_back({lkt::role::user, "And more."});
    r.temperature = 0;
    r.max_tokens = max_tokens;
    r.seed = 7;
    r.effort = effort;
    return r;
}

/// A stop request while a long reply comes ends the call.
inline void ends_when_stopped(lkt::http_options options) {
    lkt::http_model model(std::move(options));
    std::stop_source source;
    lkt::call_context context;
    context.stop = source.get_token();
    context.on_text = [&](std::string_view) { source.request_stop(); };
    auto request = question();
    request.max_tokens = 3000;
    auto const end = model.complete(request, context);
    REQUIRE_FALSE(end.has_value());
    std::string const fault = to_string(end.error());
    INFO(fault);
    CHECK(end.error().kind == lkt::condition::cancelled);
}

} // namespace peer
