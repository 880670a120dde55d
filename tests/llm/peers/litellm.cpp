// SPDX-License-Identifier: BSL-1.0
// Three dialects of litellm's proxy, before models of which litellm_proxy.py says what they answer.
#include <lkt/llm/http.hpp>

#include "peer.hpp"

#include <lkt/llm/ask.hpp>
#include <lkt/llm/extract.hpp>
#include <lkt/llm/http/make_chat_model.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace lkt;

namespace {

constexpr std::initializer_list<dialect> dialects{
    dialect::openai_chat, dialect::openai_responses, dialect::anthropic};
/// What mock-json answers with.
struct planned {
    std::vector<std::string> steps;
    bool valid = false;

    using state_fields = lkt::fields<&planned::steps, &planned::valid>;
};

constexpr std::string_view answer =
    "Tiled:\n```cuda\n__global__ void f() {}\n```\nna\u00efve \u2713";

} // namespace

TEST_CASE("plain answers") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = peer::litellm(d, "mock");
        options.stream = false;
        http_model model(options);
        auto const reply = peer::ask(model, peer::question());
        CHECK(reply.text == answer);
        CHECK(reply.finish == finish::stop);
        CHECK(reply.usage.input > 0);
        CHECK(reply.usage.output > 0);
        CHECK_FALSE(reply.usage.estimated);
        CHECK(reply.model == "mock");
        auto const code = extract_code(reply.text, language::cuda);
        CHECK(std::get<std::string>(code) == "__global__ void f() {}\n");
    }
}

TEST_CASE("streamed answers; a stream that was asked for and did not come is understood") {
    // It answers with a whole message where Anthropic's stream was asked for, and its mock models
    // have no stream of responses.
    for (dialect const d : {dialect::openai_chat, dialect::anthropic}) {
        CAPTURE(to_string(d));
        http_model model(peer::litellm(d, "mock"));
        auto const reply = peer::ask(model, peer::question());
        CHECK(reply.text == answer);
        CHECK(reply.finish == finish::stop);
        CHECK(reply.usage.output > 0);
    }
    auto const none =
        http_model(peer::litellm(dialect::openai_responses, "mock")).complete(peer::question(), {});
    REQUIRE_FALSE(none.has_value()); // an error within a 200
    CHECK(none.error().kind == condition::transient);
}

TEST_CASE("errors of the proxy and of who is behind it") {
    // Of responses, its mock models know no errors.
    for (dialect const d : {dialect::openai_chat, dialect::anthropic})
        for (bool const stream : {false, true}) {
            CAPTURE(to_string(d));
            CAPTURE(stream);
            auto const fails = [&](std::string model) {
                auto options = peer::litellm(d, std::move(model));
                options.stream = stream;
                auto const end = http_model(options).complete(peer::question(), {});
                REQUIRE_FALSE(end.has_value());
                return end.error();
            };
            CHECK(fails("mock-busy").kind == condition::transient);
            CHECK(fails("mock-broken").kind == condition::transient);
            CHECK(fails("no-such-model").kind == condition::rejected);
            CHECK(fails("mock-too-long").kind == condition::rejected);
        }
}

TEST_CASE("answers in a form") {
    for (dialect const d : dialects)
        for (bool const stream : {false, true}) {
            if (d == dialect::openai_responses && stream) continue; // see above
            CAPTURE(to_string(d));
            CAPTURE(stream);
            auto options = peer::litellm(d, "mock-json");
            options.stream = stream;
            http_model model(options);
            ask_options how;
            how.mode = answer_mode::native_schema;
            auto const made = ask<planned>(model, peer::question(), how);
            std::string const fault = made ? std::string() : to_string(made.error());
            INFO(fault);
            REQUIRE(made.has_value());
            CHECK(made->value.steps == std::vector<std::string>{"tile", "unroll"});
            CHECK(made->value.valid);
        }
}

TEST_CASE("a key that is wrong") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = peer::litellm(d, "mock");
        options.key_variable.clear();
        options.key = [] { return std::string("sk-wrong-key-of-the-test"); };
        auto const end = http_model(options).complete(peer::question(), {});
        REQUIRE_FALSE(end.has_value());
        CHECK(end.error().kind == condition::rejected);
        CHECK(to_string(end.error()).find("sk-wrong") == std::string::npos);
    }
}

TEST_CASE("by name") {
    http_options others;
    others.proxy = "none";
    others.key_variable = "LKT_PEER_KEY";
    auto model =
        make_chat_model("openai:mock-json@" + peer::variable("LKT_PEER_LITELLM") + "/v1", others);
    REQUIRE(model.has_value());
    auto const reply = model->complete(peer::question(), {});
    REQUIRE(reply.has_value());
    CHECK(reply->text == R"({"steps": ["tile", "unroll"], "valid": true})");
}
