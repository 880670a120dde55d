// SPDX-License-Identifier: BSL-1.0
// Servers that run.py has started.
#pragma once

#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
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
