// SPDX-License-Identifier: BSL-1.0
// `transformers serve`, which sends no [DONE] and knows no schemas; where there is a Python with
// it.
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>

#include <cstdlib>
#include <optional>
#include <string>

using namespace lkt;

namespace {

/// The server's address and its model's name, in one variable.
std::optional<http_options> served(dialect d) {
    char const* const value = std::getenv("LKT_PEER_TRANSFORMERS");
    if (value == nullptr) {
        MESSAGE("skipped: no Python with transformers, torch, fastapi and uvicorn "
                "(LKT_TORCH_PYTHON names one)");
        return std::nullopt;
    }
    std::string const both = value;
    auto const space = both.find(' ');
    return peer::options(d, both.substr(0, space) + "/v1", both.substr(space + 1));
}

} // namespace

TEST_CASE("transformers: plain and streamed") {
    for (dialect const d : {dialect::vllm, dialect::openai_chat}) {
        auto options = served(d);
        if (!options) return;
        http_model streamed(*options);
        options->stream = false;
        http_model plain(*options);
        auto request = peer::question();
        request.temperature = 0;
        request.max_tokens = 16;
        for (http_model* model : {&plain, &streamed}) {
            auto const reply = peer::ask(*model, request);
            CHECK_FALSE(reply.usage.estimated);
            CHECK(reply.usage.input > 20); // a token a byte
            CHECK(reply.usage.output >= 1);
            CHECK(reply.usage.output <= 16);
            CHECK((reply.finish == finish::length || reply.finish == finish::stop));
        }
    }
}

TEST_CASE("transformers: a server that ignores the schema is found out") {
    auto options = served(dialect::vllm);
    if (!options) return;
    http_model model(*options);
    auto request = peer::question();
    request.max_tokens = 32;
    ask_options how;
    how.mode = answer_mode::native_schema;
    how.attempts = 2;
    how.continuations = 0;
    auto const answer = ask<lkt_test::verdict>(model, request, how);
    REQUIRE_FALSE(answer.has_value());
    CHECK(
        (answer.error().code == "lkt.ask.invalid" || answer.error().code == "lkt.ask.unfinished"));
}

TEST_CASE("transformers: a request that is none") {
    auto options = served(dialect::openai_chat);
    if (!options) return;
    options->body = R"({"messages": "none"})";
    auto const end = http_model(*options).complete(peer::question(), {});
    REQUIRE_FALSE(end.has_value());
    std::string const fault = to_string(end.error());
    INFO(fault);
    CHECK(end.error().code.starts_with("lkt.http."));
}
