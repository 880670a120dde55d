// SPDX-License-Identifier: BSL-1.0
// Ollama itself, where LKT_OLLAMA_URL says that one listens.
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>
#include <lkt/llm/http/make_chat_model.hpp>

#include <cstdint>
#include <optional>
#include <string>

using namespace lkt;

namespace {

std::optional<http_options> served(bool stream = true) {
    auto options =
        peer::perhaps(dialect::ollama, "LKT_PEER_OLLAMA", "LKT_OLLAMA_URL names no Ollama");
    if (options) options->stream = stream;
    return options;
}

error fails(http_options const& options, chat_request const& request) {
    auto const end = http_model(options).complete(request, {});
    REQUIRE_FALSE(end.has_value());
    CAPTURE(to_string(end.error()));
    CHECK(end.error().message.find("{\"error\"") == std::string::npos);
    return end.error();
}

template <class Answer>
void check_answers(http_options const& options, answer_mode mode = answer_mode::native_schema) {
    for (std::uint64_t seed : {1u, 2u, 3u}) {
        auto request = peer::question("Answer.");
        request.seed = seed;
        request.temperature = 1;
        peer::answers<Answer>(options, mode, request);
    }
}

} // namespace

TEST_CASE("ollama: a plain and a streamed answer are the same, and counted alike") {
    auto options = served();
    if (!options) return;
    http_model streamed(*options);
    options->stream = false;
    http_model plain(*options);
    auto const request = peer::third_turn(24, effort::none);
    auto const a = peer::ask(plain, request);
    auto const b = peer::ask(streamed, request);
    CHECK(a.text == b.text);
    CHECK(a.finish == b.finish);
    CHECK(a.usage == b.usage);
    CHECK(a.model == options->model);
    CHECK(b.model == options->model);
    CHECK_FALSE(a.usage.estimated);
    CHECK(a.usage.input > 50); // a token a byte, with the roles
    CHECK(a.usage.output >= 1);
    CHECK(a.usage.output <= 24);
    CHECK((a.finish == finish::length) == (a.usage.output == 24));
}

TEST_CASE("ollama: structs are answered under their schema") {
    using namespace lkt_test;
    for (bool const stream : {false, true}) {
        auto const options = served(stream);
        if (!options) return;
        check_answers<lkt_test::opinion>(*options);
        check_answers<lkt_test::opinion>(*options, answer_mode::tool_call); // the schema instead
        check_answers<plan>(*options);
        check_answers<search_space>(*options);
        check_answers<next_move>(*options);
    }
}

TEST_CASE("ollama: what does not fit is refused, or ends the reply, and never left out") {
    for (bool const stream : {false, true}) {
        CAPTURE(stream);
        auto options = served(stream);
        if (!options) return;
        options->body = R"({"options": {"num_ctx": 512}})";
        auto const one = peer::question(std::string(1000, 'x'));
        CHECK(fails(*options, one).code == "lkt.http.context-length");
        auto past = peer::question(std::string(300, 'x'));
        past.messages.push_back({role::assistant, std::string(300, 'y')});
        past.messages.push_back({role::user, "And more."});
        CHECK(fails(*options, past).code == "lkt.http.context-length");

        http_model model(*options);
        auto request = peer::question(std::string(300, 'x'));
        request.max_tokens = 1000;
        request.temperature = 1;
        request.seed = 1;
        auto const reply = peer::ask(model, request);
        CHECK(reply.finish == finish::length);
        CHECK(reply.usage.input > 300);
        CHECK(reply.usage.input + reply.usage.output <= 512);
    }
}

TEST_CASE("ollama: its refusals, and its runner's") {
    for (bool const stream : {false, true}) {
        CAPTURE(stream);
        auto options = served(stream);
        if (!options) return;
        auto const under = [](std::string schema) {
            auto request = peer::question();
            request.format = answer_format{answer_kind::json_schema, "x", "", std::move(schema)};
            return request;
        };
        auto const schema = fails(*options, under(R"({"type": 7})"));
        CHECK(schema.code == "lkt.http.bad-request");
        CHECK(schema.message.find("schema") != std::string::npos);
        auto thinks = peer::question();
        thinks.effort = effort::low;
        auto const cannot = fails(*options, thinks);
        CHECK(cannot.code == "lkt.http.bad-request");
        CHECK(cannot.message.find("does not support thinking") != std::string::npos);
        // It may give up on a model that repeats a token; then all that it does not say is that it
        // is done.
        auto const repeated = http_model(*options).complete(
            under(R"({"const": ")" + std::string(60, 'x') + "\"}"), {});
        if (repeated)
            CHECK(repeated->text == '"' + std::string(60, 'x') + '"');
        else
            CHECK(repeated.error().code == "lkt.http.cut-off");
        options->model = "no-such-model";
        CHECK(fails(*options, peer::question()).code == "lkt.http.not-found");
    }
}

TEST_CASE("ollama: a stop request ends a call") {
    auto options = served();
    if (!options) return;
    peer::ends_when_stopped(*std::move(options));
}

TEST_CASE("ollama: by name") {
    auto const options = served();
    if (!options) return;
    http_options others;
    others.proxy = "none";
    auto model = make_chat_model("ollama:" + options->model + "@" + options->base_url, others);
    REQUIRE(model.has_value());
    auto request = peer::question();
    request.max_tokens = 8;
    auto const reply = model->complete(request, {});
    std::string const fault = reply ? std::string() : to_string(reply.error());
    INFO(fault);
    CHECK(reply.has_value());
}
