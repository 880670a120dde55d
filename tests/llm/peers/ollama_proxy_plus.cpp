// SPDX-License-Identifier: BSL-1.0
// ollama-proxy-plus, which speaks Ollama's dialect: what it says of tokens are words, and
// each answer ends with "stop".
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>
#include <lkt/llm/http/make_chat_model.hpp>
#include <lkt/llm/schema.hpp>

#include <string>
#include <string_view>

using namespace lkt;

namespace {

/// It passes on what its own options name so.
std::string behind(std::string members) {
    return R"({"options": {"_extra_body": {)" + members + "}}}";
}

template <class Answer>
void check_answers(answer_mode mode = answer_mode::native_schema) {
    for (bool const stream : {false, true}) {
        auto options = peer::ollama_proxy("tiny/tiny");
        options.stream = stream;
        options.body = behind(R"("seed": 1)");
        auto request = peer::question("Answer.");
        request.max_tokens = 3500;
        peer::answers<Answer>(options, mode, request);
    }
}

} // namespace

TEST_CASE("ollama-proxy-plus: a plain and a streamed answer are the same") {
    auto options = peer::ollama_proxy("tiny/tiny");
    http_model streamed(options);
    options.stream = false;
    http_model plain(options);
    auto const request = peer::third_turn(24, effort::none);
    auto const a = peer::ask(plain, request);
    auto const b = peer::ask(streamed, request);
    CHECK(a.text == b.text);
    CHECK(a.text.size() > 1);
    CHECK(a.text.size() <= 24); // a token a byte: the limit arrived
    for (chat_reply const& reply : {a, b}) {
        CHECK(reply.finish == finish::stop);
        CHECK(reply.model == "tiny/tiny");
        CHECK_FALSE(reply.usage.estimated);
        CHECK(reply.usage.input == 7); // words
    }
}

TEST_CASE("ollama-proxy-plus: structs are answered under their schema") {
    using namespace lkt_test;
    check_answers<lkt_test::opinion>();
    check_answers<lkt_test::opinion>(answer_mode::tool_call); // the schema in its place
    check_answers<plan>();
    check_answers<search_space>();
    check_answers<next_move>();
}

TEST_CASE("ollama-proxy-plus: errors of the server and of who is behind it") {
    for (bool const stream : {false, true}) {
        CAPTURE(stream);
        auto const fails = [&](std::string model, std::string text) {
            auto options = peer::ollama_proxy(std::move(model));
            options.stream = stream;
            auto const end = http_model(options).complete(peer::question(std::move(text)), {});
            REQUIRE_FALSE(end.has_value());
            return end.error();
        };
        auto const unknown = fails("nobody/tiny", "Hello.");
        CHECK(unknown.code == "lkt.http.bad-request");
        CHECK(unknown.message.find("nobody") != std::string::npos);
        // In a stream, the last line says it; otherwise it is a gateway's failure.
        auto const locked = fails("locked/tiny", "Hello.");
        CHECK(locked.code == "lkt.http.server");
        CHECK(locked.message.find("401") != std::string::npos);
        auto const too_long = fails("tiny/tiny", std::string(20'000, 'x'));
        CHECK(too_long.code == "lkt.http.context-length");
        CHECK(too_long.kind == condition::rejected);
    }
}

TEST_CASE("ollama-proxy-plus: a stop request ends a call") {
    auto options = peer::ollama_proxy("tiny/tiny");
    options.body = behind(R"("ignore_eos": true)");
    peer::ends_when_stopped(std::move(options));
}

TEST_CASE("ollama-proxy-plus: by name") {
    http_options others;
    others.proxy = "none";
    auto model =
        make_chat_model("ollama:tiny/tiny@" + peer::variable("LKT_PEER_OLLAMA_PROXY"), others);
    REQUIRE(model.has_value());
    auto request = peer::question();
    request.max_tokens = 8;
    auto const reply = model->complete(request, {});
    std::string const fault = reply ? std::string() : to_string(reply.error());
    INFO(fault);
    CHECK(reply.has_value());
}
