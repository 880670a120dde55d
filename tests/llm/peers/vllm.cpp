// SPDX-License-Identifier: BSL-1.0
// vLLM's server, where LKT_VLLM_PYTHON names a Python with it.
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>

#include <initializer_list>
#include <optional>
#include <string>

using namespace lkt;

namespace {

constexpr std::initializer_list<dialect> chats{dialect::vllm, dialect::openai_chat};

std::optional<http_options> served(dialect d, bool stream = true) {
    auto options =
        peer::perhaps(d, "LKT_PEER_VLLM", "LKT_VLLM_PYTHON names no Python with vLLM", "/v1");
    if (options) options->stream = stream;
    return options;
}

template <class Answer>
void check_answers(http_options const& options, answer_mode mode) {
    auto request = peer::question("Answer.");
    request.seed = 1;
    request.max_tokens = 3500;
    peer::answers<Answer>(options, mode, request);
}

} // namespace

TEST_CASE("vllm: a plain and a streamed answer are the same, and counted alike") {
    for (dialect const d : {dialect::vllm, dialect::openai_chat, dialect::openai_responses}) {
        CAPTURE(to_string(d));
        auto options = served(d);
        if (!options) return;
        http_model streamed(*options);
        options->stream = false;
        http_model plain(*options);
        auto const request = peer::third_turn(16, effort::low);
        auto const a = peer::ask(plain, request);
        auto const b = peer::ask(streamed, request);
        CHECK(a.text == b.text);
        CHECK(a.text.size() == 16); // a token a byte
        CHECK(a.usage.input == b.usage.input);
        for (chat_reply const& reply : {a, b}) {
            CHECK_FALSE(reply.usage.estimated);
            CHECK(reply.usage.input > 20);
            CHECK(reply.usage.output == 16);
            CHECK(reply.finish == finish::length);
        }
    }
}

TEST_CASE("vllm: structs are answered under their schema, and as the arguments of a tool") {
    using namespace lkt_test;
    for (dialect const d : chats)
        for (bool const stream : {false, true})
            for (answer_mode const mode : {answer_mode::native_schema, answer_mode::tool_call}) {
                auto const options = served(d, stream);
                if (!options) return;
                check_answers<lkt_test::opinion>(*options, mode);
                check_answers<plan>(*options, mode);
                check_answers<search_space>(*options, mode);
                check_answers<next_move>(*options, mode);
            }
}

TEST_CASE("vllm: a tool's schema binds where it is not strict in OpenAI's sense") {
    for (bool const stream : {false, true}) {
        auto const options = served(dialect::vllm, stream);
        if (!options) return;
        http_model model(*options);
        auto request = peer::question("Answer.");
        request.seed = 1;
        request.max_tokens = 500;
        request.format =
            answer_format{answer_kind::tool_call,
                          "size",
                          "",
                          R"({"type":"object","properties":{"wide":{"type":"boolean"}}})"};
        auto const reply = peer::ask(model, request);
        CHECK(reply.text.starts_with('{'));
        CHECK(reply.text.ends_with('}'));
        CHECK(reply.finish == finish::stop);
    }
}

TEST_CASE("vllm: its refusals") {
    for (dialect const d : chats) {
        CAPTURE(to_string(d));
        auto options = served(d);
        if (!options) return;
        auto const fails = [&](chat_request const& request) {
            auto const end = http_model(*options).complete(request, {});
            REQUIRE_FALSE(end.has_value());
            return end.error().code;
        };
        CHECK(fails(peer::question(std::string(5000, 'x'))) == "lkt.http.context-length");
        auto bad = peer::question();
        bad.format = answer_format{answer_kind::json_schema, "bad", "", R"({"type": 7})"};
        CHECK(fails(bad) == "lkt.http.bad-request");
        options->model = "no-such-model";
        CHECK(fails(peer::question()) == "lkt.http.not-found");
    }
}

TEST_CASE("vllm: a stop request ends a call") {
    auto options = served(dialect::vllm);
    if (!options) return;
    peer::ends_when_stopped(*std::move(options));
}
