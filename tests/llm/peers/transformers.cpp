// SPDX-License-Identifier: BSL-1.0
// `transformers serve`, whose streams of chat completions have no [DONE], and which knows no
// schemas; where there is a Python with it.
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

using namespace lkt;

namespace {

constexpr std::initializer_list<dialect> dialects{
    dialect::vllm, dialect::openai_chat, dialect::openai_responses};

std::optional<http_options> served(dialect d) {
    return peer::perhaps(d,
                         "LKT_PEER_TRANSFORMERS",
                         "no Python with transformers, torch, fastapi and uvicorn "
                         "(LKT_TORCH_PYTHON names one)",
                         "/v1");
}

} // namespace

TEST_CASE("transformers: a plain and a streamed answer are the same, and counted alike") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = served(d);
        if (!options) return;
        http_model streamed(*options);
        options->stream = false;
        http_model plain(*options);
        auto const request = peer::third_turn(16, effort::low);
        auto const a = peer::ask(plain, request);
        auto const b = peer::ask(streamed, request);
        CHECK_FALSE(a.text.empty());
        CHECK(a.text == b.text);
        CHECK(a.model.starts_with(options->model));
        CHECK(a.model == b.model);
        CHECK(a.usage.input == b.usage.input);
        CHECK(a.usage.output == b.usage.output);
        for (chat_reply const& reply : {a, b}) {
            CHECK_FALSE(reply.usage.estimated);
            CHECK(reply.usage.input > 20); // a token a byte
            CHECK(reply.usage.output == 16);
            // Its responses are complete wherever they end.
            CHECK(reply.finish == (d == dialect::openai_responses ? finish::stop : finish::length));
        }
    }
}

TEST_CASE("transformers: a server that ignores the schema is found out") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = served(d);
        if (!options) return;
        http_model model(*options);
        auto request = peer::question();
        request.max_tokens = 32;
        for (answer_mode const mode : {answer_mode::native_schema, answer_mode::tool_call}) {
            ask_options how;
            how.mode = mode;
            how.attempts = 2;
            how.continuations = 0;
            auto const answer = ask<lkt_test::opinion>(model, request, how);
            REQUIRE_FALSE(answer.has_value());
            std::string const fault = to_string(answer.error());
            INFO(fault);
            CHECK((answer.error().code == "lkt.ask.invalid" ||
                   answer.error().code == "lkt.ask.unfinished"));
        }
    }
}

TEST_CASE("transformers: its refusals, and what breaks behind it") {
    for (dialect const d : dialects)
        for (bool const stream : {false, true}) {
            CAPTURE(to_string(d));
            CAPTURE(stream);
            auto const fails = [&](std::string_view body) -> std::optional<error> {
                auto options = served(d);
                if (!options) return std::nullopt;
                options->stream = stream;
                options->body = body;
                auto const end = http_model(*options).complete(peer::question(), {});
                REQUIRE_FALSE(end.has_value());
                return end.error();
            };
            auto const unknown = fails(R"({"no_such_field": 1})");
            if (!unknown) return;
            CHECK(unknown->code == "lkt.http.bad-request");
            CHECK(unknown->message.find("no_such_field") != std::string::npos);
            auto const other = fails(R"({"model": "no-such/model"})");
            CHECK(other->code == "lkt.http.bad-request");
            CHECK(other->message.find("no-such/model") != std::string::npos);
            // Found out when it generates, where a stream has begun; the words of the other end in
            // its log.
            auto const broken = fails(R"({"generation_config": "{\"num_beams\": 0}"})");
            CHECK(broken->code == "lkt.http.server");
            CHECK(broken->kind == condition::transient);
            CHECK(stream == (broken->message.find("num_beams") != std::string::npos));
        }
}

TEST_CASE("transformers: a stop request ends a call") {
    auto options = served(dialect::openai_chat);
    if (!options) return;
    peer::ends_when_stopped(*std::move(options));
}
