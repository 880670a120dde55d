// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/make_chat_model.hpp>

#include <doctest/doctest.h>

#include "../scratch.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

using namespace lkt;

TEST_CASE("a provider, a model, an address") {
    auto const o = parse_model_name("anthropic:claude-opus-4-5").value();
    CHECK(o.dialect == dialect::anthropic);
    CHECK(o.model == "claude-opus-4-5");
    CHECK(o.base_url == "https://api.anthropic.com");
    CHECK(o.key_variable == "ANTHROPIC_API_KEY");

    auto const local = parse_model_name("openai:tiny@http://127.0.0.1:8080/v1").value();
    CHECK(local.dialect == dialect::openai_chat);
    CHECK(local.model == "tiny");
    CHECK(local.base_url == "http://127.0.0.1:8080/v1");
}

TEST_CASE("names of models hold colons, slashes and at signs") {
    CHECK(parse_model_name("ollama:qwen3:8b").value().model == "qwen3:8b");
    CHECK(parse_model_name("openrouter:meta/llama@2@https://e.org").value().model ==
          "meta/llama@2");
    for (char const* const name :
         {"a@b", "a@2", "a@20240620", "a@v1.5", "a@sha256:0123abc", "@cf/meta/llama", "a@b:8b"})
        CHECK(parse_model_name("vllm:" + std::string(name)).value().model == name);
}

TEST_CASE("an address without http:// is no part of a model's name") {
    for (char const* const address : {"127.0.0.1:9402",
                                      "127.0.0.1",
                                      "localhost",
                                      "localhost:80",
                                      "[::1]:80",
                                      "host:9402",
                                      "host/v1",
                                      "host:9402/v1"}) {
        auto const made = parse_model_name("openai:mine@" + std::string(address));
        REQUIRE_FALSE(made.has_value());
        CHECK(made.error().code == "lkt.llm.model-name");
        CHECK(made.error().message.find("did you mean `openai:mine@http://" + std::string(address) +
                                        "`?") != std::string::npos);
    }
    for (char const* const name : {"openai:mine@ftp://host", "openai:mine@//host"})
        CHECK(parse_model_name(name).error().message.find("`openai:mine@http://host`") !=
              std::string::npos);
}

TEST_CASE("a provider's key goes to that provider alone") {
    CHECK(parse_model_name("openai:m").value().key_variable == "OPENAI_API_KEY");
    CHECK(parse_model_name("openai:m@https://elsewhere.org").value().key_variable == "LKT_API_KEY");
    CHECK(parse_model_name("openai:m@https://elsewhere.org", {.key_variable = "MINE"})
              .value()
              .key_variable == "MINE");
    CHECK(parse_model_name("openai:m", {.base_url = "https://elsewhere.org"})
              .value()
              .key_variable.empty());
}

TEST_CASE("what the name does not say is the caller's") {
    http_options others;
    others.timeouts.total = seconds(5);
    others.proxy = "none";
    auto const o = parse_model_name("groq:m", others).value();
    CHECK(o.timeouts.total == seconds(5));
    CHECK(o.proxy == "none");
}

TEST_CASE("what is no name says what one looks like") {
    for (std::string const name :
         {"", "claude", "openai", "openai:", "openai:@http://a", "OpenAI:m", "nobody:m"}) {
        CAPTURE(name);
        auto const e = parse_model_name(name);
        REQUIRE_FALSE(e.has_value());
        CHECK(e.error().code == "lkt.llm.model-name");
        CHECK(e.error().hint.find("anthropic, ") != std::string::npos);
        CHECK(make_chat_model(name).error().code == "lkt.llm.model-name");
    }
    CHECK(make_chat_model("replay:").error().code == "lkt.llm.model-name");
    CHECK(make_chat_model("mailbox:").error().code == "lkt.llm.model-name");
}

TEST_CASE("cassettes and mailboxes are models too") {
    scratch_folder const folder;
    std::string const tape = folder.path("a.jsonl");
    std::ofstream(tape) << R"({"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}
{"reply": {"text": "hello"}}
)";
    auto model = make_chat_model("replay:" + tape);
    REQUIRE(model.has_value());
    chat_request request;
    request.messages.push_back({role::user, "hi"});
    CHECK(model->complete(request, {}).value().text == "hello");
    CHECK(make_chat_model("replay:" + folder.path("none")).error().code ==
          "lkt.cassette.unreadable");
    CHECK(make_chat_model("mailbox:" + folder.path("mail")).has_value());
}

TEST_CASE("reasoning between tags of one's own, whoever answers") {
    scratch_folder const folder;
    std::string const tape = folder.path("a.jsonl");
    std::ofstream(tape) << R"({"lkt_cassette": 1, "origin": "written-by-hand", "match": "in-order"}
{"reply": {"text": "[why]hm[/why]hello"}}
)";
    auto model = make_chat_model("replay:" + tape, {.thinking = {{"[why]", "[/why]"}}});
    REQUIRE(model.has_value());
    chat_request request;
    request.messages.push_back({role::user, "hi"});
    auto const reply = model->complete(request, {}).value();
    CHECK(reply.text == "hello");
    CHECK(reply.reasoning == "hm");
    for (std::string const name :
         {"openai:m@http://127.0.0.1:9/v1", "replay:none", "mailbox:none"}) {
        CAPTURE(name);
        CHECK(make_chat_model(name, {.thinking = {{"[why]", ""}}}).error().code ==
              "lkt.llm.thinking-tags");
    }
}

TEST_CASE("an address that is none is found out at once") {
    CHECK_FALSE(make_chat_model("openai:m@http://").has_value());
    CHECK_FALSE(make_chat_model("openai:m@http://a b/").has_value());
    CHECK(make_chat_model("openai:m@http://127.0.0.1:9/v1").has_value());
}

TEST_CASE("a key that is not there is missed at once") {
    ::unsetenv("XAI_API_KEY");
    auto const none = make_chat_model("xai:m");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == "lkt.llm.no-key");
    CHECK(none.error().message.find("XAI_API_KEY") != std::string::npos);
    ::setenv("XAI_API_KEY", "sk-of-a-test", 1);
    CHECK(make_chat_model("xai:m").has_value());
    ::unsetenv("XAI_API_KEY");
    CHECK(make_chat_model("xai:m", {.key = [] { return std::string("sk"); }}).has_value());
}

TEST_CASE("help names each provider") {
    auto const help = model_name_help();
    CHECK(providers().size() >= 10);
    for (provider const& p : providers()) {
        CHECK(help.find(std::string(p.name) + " " + std::string(p.key_variable)) != help.npos);
        CHECK(p.base_url.starts_with("http"));
    }
}
