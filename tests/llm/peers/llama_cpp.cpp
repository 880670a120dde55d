// SPDX-License-Identifier: BSL-1.0
// Four dialects of llama.cpp's server, plain and streamed, with answers in a form and with errors.
#include <lkt/llm/http.hpp>

#include "../answers.hpp"
#include "peer.hpp"

#include <lkt/llm/ask.hpp>
#include <lkt/llm/schema.hpp>

#include <chrono>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;

namespace {

constexpr std::initializer_list<dialect> dialects{dialect::llama_cpp,
                                                  dialect::openai_chat,
                                                  dialect::vllm,
                                                  dialect::openai_responses,
                                                  dialect::anthropic};

/// Answers are of that type; the server's grammar sees to it.
template <class Answer>
void check_answers(dialect d, answer_mode mode) {
    for (std::uint64_t seed : {1u, 2u, 3u}) {
        auto request = peer::question("Answer.");
        request.seed = seed;
        request.max_tokens = 3500;
        peer::answers<Answer>(peer::llama(d), mode, request);
    }
}

} // namespace

TEST_CASE("a plain and a streamed answer are the same, and their tokens are counted alike") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = peer::llama(d);
        http_model streamed(options);
        options.stream = false;
        http_model plain(options);
        auto request = peer::question();
        request.temperature = 0;
        request.max_tokens = 24;
        auto const a = peer::ask(plain, request);
        auto const b = peer::ask(streamed, request);
        CHECK(a.text == b.text);
        CHECK(a.finish == b.finish);
        CHECK((a.finish == finish::length || a.finish == finish::stop));
        CHECK(a.model == "tiny");
        CHECK(b.model == "tiny");
        CHECK(a.usage.input > 20); // a token a byte
        CHECK(a.usage.input == b.usage.input);
        for (chat_reply const& reply : {a, b}) {
            CHECK_FALSE(reply.usage.estimated);
            CHECK(reply.usage.output >= 1);
            CHECK(reply.usage.output <= 24);
            if (reply.finish == finish::length) CHECK(reply.usage.output == 24);
        }
        CHECK(a.usage.output == b.usage.output);
    }
}

TEST_CASE("a seed makes an answer again") {
    http_model model(peer::llama(dialect::llama_cpp));
    auto request = peer::question();
    request.max_tokens = 32;
    request.temperature = 1;
    request.seed = 7;
    auto const first = peer::ask(model, request).text;
    CHECK(peer::ask(model, request).text == first);
    request.seed = 8;
    CHECK(peer::ask(model, request).text != first);
}

TEST_CASE("each kind of struct is answered under its schema") {
    using namespace lkt_test;
    for (dialect const d : {dialect::llama_cpp, dialect::openai_chat}) {
        auto const mode = answer_mode::native_schema;
        check_answers<lkt_test::opinion>(d, mode);
        check_answers<plan_step>(d, mode);
        check_answers<plan>(d, mode);
        check_answers<tunable>(d, mode);
        check_answers<search_space>(d, mode);
        check_answers<restrictions>(d, mode);
        check_answers<breakdown>(d, mode);
        check_answers<lkt_test::problem_size>(d, mode);
        check_answers<lkt_test::launch>(d, mode);
        check_answers<argument_roles>(d, mode);
        check_answers<next_move>(d, mode);
        check_answers<accuracy>(d, mode);
        check_answers<rewritten>(d, mode);
    }
}

TEST_CASE("a key that is wrong, a model's limit, a request that is none") {
    for (dialect const d : dialects) {
        CAPTURE(to_string(d));
        auto options = peer::llama(d);
        options.key_variable.clear();
        options.key = [] { return std::string("sk-wrong"); };
        auto const refused = http_model(options).complete(peer::question(), {});
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().kind == condition::rejected);
        CHECK(refused.error().message.find("sk-wrong") == std::string::npos);

        auto const too_long =
            http_model(peer::llama(d)).complete(peer::question(std::string(20'000, 'x')), {});
        REQUIRE_FALSE(too_long.has_value());
        CHECK(too_long.error().kind == condition::rejected);
        CHECK(too_long.error().code == "lkt.http.context-length");

        if (d == dialect::openai_responses || d == dialect::anthropic)
            continue; // it ignores schemas
        auto bad = peer::question();
        bad.format = answer_format{answer_kind::json_schema, "bad", "", R"({"type": 7})"};
        CHECK_FALSE(http_model(peer::llama(d)).complete(bad, {}).has_value());
    }
}

TEST_CASE("a stop request ends a call") {
    auto options = peer::llama(dialect::llama_cpp);
    options.body = R"({"ignore_eos": true})";
    peer::ends_when_stopped(std::move(options));
}

TEST_CASE("sixteen calls at once, of which the server works on four") {
    http_model model(peer::llama(dialect::llama_cpp));
    std::vector<chat_request> requests(16, peer::question());
    for (std::size_t k = 0; k < requests.size(); ++k) {
        requests[k].max_tokens = static_cast<int>(k + 1);
        requests[k].temperature = 0;
    }
    auto const replies = model.complete_all(requests, {});
    REQUIRE(replies.size() == 16);
    for (std::size_t k = 0; k < replies.size(); ++k) {
        REQUIRE(replies[k].has_value());
        CHECK(replies[k]->usage.output <= static_cast<int>(k + 1));
    }
    CHECK(model.counters().calls == 16);
}
