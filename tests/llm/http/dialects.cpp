// SPDX-License-Identifier: BSL-1.0
// What each dialect sends, and what it makes of an answer that comes whole.
#include "answers.hpp"

#include <boost/json/serialize.hpp>

#include <limits>

namespace {

using answers::ask;
using answers::ask_for;
using answers::body;
using answers::code_of;
using answers::of;
using answers::read;
using lkt::answer_kind;
using lkt::dialect;

/// Where a path as in `options.seed` leads, as JSON; empty where it leads nowhere.
std::string at(boost::json::value const& v, std::string_view path) {
    auto const* here = &v;
    while (!path.empty()) {
        auto const step = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), step.size() + 1));
        if (auto const* list = here->if_array()) {
            auto const n = static_cast<std::size_t>(step[0] - '0');
            if (n >= list->size()) return "";
            here = &(*list)[n];
        } else {
            auto const* object = here->if_object();
            here = object ? object->if_contains(step) : nullptr;
            if (!here) return "";
        }
    }
    return boost::json::serialize(*here);
}

lkt::chat_request talk() {
    lkt::chat_request r;
    r.messages = {{lkt::role::system, "You tune kernels."},
                  {lkt::role::user, "one"},
                  {lkt::role::user, "two"},
                  {lkt::role::assistant, "three"},
                  {lkt::role::system, "Be brief."},
                  {lkt::role::user, "four"}};
    r.temperature = 0.5;
    r.max_tokens = 100;
    r.seed = 7;
    return r;
}

constexpr dialect all[]{dialect::openai_chat,
                        dialect::openai_responses,
                        dialect::anthropic,
                        dialect::ollama,
                        dialect::llama_cpp,
                        dialect::vllm};

std::string schema() {
    return boost::json::serialize(
        boost::json::parse(ask_for(answer_kind::json_schema).format->schema));
}

std::string chat(std::string const& message, std::string const& rest = "") {
    return R"({"id":"c1","object":"chat.completion","model":"m1-2026","choices":[{"index":0,"message":)" +
           message + R"(,"finish_reason":"stop"}])" + rest + "}";
}

} // namespace

TEST_CASE("OpenAI's chat: messages, limits, seed, stream") {
    auto o = of(dialect::openai_chat);
    auto const b = body(talk(), o);
    CHECK(at(b, "model") == R"("m1")");
    CHECK(b.at("messages").as_array().size() == 6);
    CHECK(at(b, "messages.0") == R"({"role":"system","content":"You tune kernels."})");
    CHECK(at(b, "messages.3.role") == R"("assistant")");
    CHECK(at(b, "max_completion_tokens") == "100");
    CHECK(at(b, "max_tokens") == "");
    CHECK(at(b, "temperature") == "5E-1");
    CHECK(at(b, "seed") == "7");
    CHECK(at(b, "stream") == "true");
    CHECK(at(b, "stream_options") == R"({"include_usage":true})");
    CHECK(at(b, "response_format") == "");
    CHECK(at(b, "reasoning_effort") == "");

    o.base_url = "http://127.0.0.1:1234/v1"; // whoever is compatible knows the old name
    o.stream = false;
    auto const c = body(talk(), o);
    CHECK(at(c, "max_tokens") == "100");
    CHECK(at(c, "max_completion_tokens") == "");
    CHECK(at(c, "stream") == "false");
    CHECK(at(c, "stream_options") == "");

    auto r = ask();
    r.seed = std::numeric_limits<std::uint64_t>::max();
    CHECK(at(body(r, o), "seed") == "9223372036854775807");
}

TEST_CASE("OpenAI's chat: forms of answers") {
    auto const o = of(dialect::openai_chat);
    auto const s = body(ask_for(answer_kind::json_schema), o);
    CHECK(at(s, "response_format.type") == R"("json_schema")");
    CHECK(at(s, "response_format.json_schema.name") == R"("size")");
    CHECK(at(s, "response_format.json_schema.schema") == schema());
    CHECK(at(s, "response_format.json_schema.strict") == "true");
    auto const t = body(ask_for(answer_kind::tool_call), o);
    CHECK(at(t, "tools.0.type") == R"("function")");
    CHECK(at(t, "tools.0.function.name") == R"("size")");
    CHECK(at(t, "tools.0.function.description") == R"("The size of a tile")");
    CHECK(at(t, "tools.0.function.parameters") == schema());
    CHECK(at(t, "tool_choice") == R"({"type":"function","function":{"name":"size"}})");
    auto const j = body(ask_for(answer_kind::json_object), o);
    CHECK(at(j, "response_format") == R"({"type":"json_object"})");
    CHECK(j.at("messages").as_array().size() == 1);

    // The mode is refused where nothing speaks of JSON.
    auto silent = ask_for(answer_kind::json_object);
    silent.messages[0].text = "How large?";
    auto const said = body(silent, o);
    CHECK(at(said, "messages.0") ==
          R"({"role":"system","content":"Answer with one JSON object and nothing else."})");
    CHECK(at(said, "messages.1.content") == R"("How large?")");
}

TEST_CASE("a schema is enforced strictly where it can be") {
    auto const strict = [](std::string text) {
        auto r = ask_for(answer_kind::json_schema);
        r.format->schema = std::move(text);
        return at(body(r, of(dialect::openai_chat)), "response_format.json_schema.strict");
    };
    CHECK(strict(R"({"type":"object","properties":{},"additionalProperties":false})") == "true");
    CHECK(strict(R"({"type":"object","properties":{"a":{}},"additionalProperties":false})") ==
          "false"); // a is optional
    CHECK(strict(R"({"type":"object","properties":{}})") == "false");
    CHECK(
        strict(R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},)"
               R"("required":["a"],"additionalProperties":false})") == "false");
    CHECK(strict(R"({"oneOf":[]})") == "false");
}

TEST_CASE("llama.cpp and vLLM: where they differ") {
    auto const l = of(dialect::llama_cpp);
    auto const s = body(ask_for(answer_kind::json_schema), l);
    CHECK(at(s, "response_format") == R"({"type":"json_object","schema":)" + schema() + "}");
    CHECK(at(body(ask_for(answer_kind::tool_call), l), "tool_choice") == R"("required")");
    CHECK(at(body(talk(), l), "max_tokens") == "100");
    auto nameless = l;
    nameless.model.clear(); // it has one model
    CHECK(at(body(ask(), nameless), "model") == "");

    auto const v = of(dialect::vllm);
    CHECK(at(body(ask_for(answer_kind::json_schema), v), "response_format.json_schema.schema") ==
          schema());
    CHECK(at(body(ask_for(answer_kind::tool_call), v), "tool_choice.function.name") == R"("size")");
    auto open = ask_for(answer_kind::tool_call);
    open.format->schema = R"({"type":"object","properties":{}})";
    CHECK(at(body(open, v), "tools.0.function.strict") == "true"); // else it enforces nothing
    CHECK(at(body(open, of(dialect::openai_chat)), "tools.0.function.strict") == "false");
    CHECK(at(body(talk(), v), "max_tokens") == "100");
}

TEST_CASE("OpenAI's responses: instructions, input, forms of answers") {
    auto const o = of(dialect::openai_responses);
    auto const b = body(talk(), o);
    CHECK(at(b, "instructions") == R"("You tune kernels.\n\nBe brief.")");
    CHECK(b.at("input").as_array().size() == 4);
    CHECK(at(b, "input.0.role") == R"("user")");
    CHECK(at(b, "input.0.content.0") == R"({"type":"input_text","text":"one"})");
    CHECK(at(b, "input.2.content.0") == R"({"type":"output_text","text":"three"})");
    CHECK(at(b, "max_output_tokens") == "100");
    CHECK(at(b, "store") == "false");
    CHECK(at(b, "seed") == ""); // it has none
    CHECK(at(b, "stream_options") == "");

    auto const s = body(ask_for(answer_kind::json_schema), o);
    CHECK(at(s, "text.format.type") == R"("json_schema")");
    CHECK(at(s, "text.format.name") == R"("size")");
    CHECK(at(s, "text.format.schema") == schema());
    auto const t = body(ask_for(answer_kind::tool_call), o);
    CHECK(at(t, "tools.0.type") == R"("function")");
    CHECK(at(t, "tools.0.parameters") == schema());
    CHECK(at(t, "tool_choice") == R"({"type":"function","name":"size"})");
    CHECK(at(body(ask_for(answer_kind::json_object), o), "text.format") ==
          R"({"type":"json_object"})");

    lkt::chat_request only;
    only.messages = {{lkt::role::system, "Say hello."}};
    auto const i = body(only, o);
    CHECK(at(i, "input.0.content") == R"("Say hello.")");
    CHECK(at(i, "instructions") == "");
}

TEST_CASE("Anthropic: system on top, turns in alternation, a limit always") {
    auto const o = of(dialect::anthropic);
    auto const b = body(talk(), o);
    CHECK(at(b, "system") == R"("You tune kernels.\n\nBe brief.")");
    CHECK(at(b, "messages") ==
          R"([{"role":"user","content":"one\n\ntwo"},{"role":"assistant","content":"three"},)"
          R"({"role":"user","content":"four"}])");
    CHECK(at(b, "max_tokens") == "100");
    CHECK(at(b, "seed") == "");
    CHECK(at(body(ask(), o), "max_tokens") == "8192");
    CHECK(at(body(ask(), o), "system") == "");

    lkt::chat_request begun;
    begun.messages = {{lkt::role::system, "Count."},
                      {lkt::role::user, "go"},
                      {lkt::role::user, " \n"},
                      {lkt::role::assistant, "one, two \n"}};
    CHECK(at(body(begun, o), "messages.0.content") == R"("go")");
    CHECK(at(body(begun, o), "messages.1.content") == R"("one, two")");
    lkt::chat_request only;
    only.messages = {{lkt::role::system, "Say hello."}};
    CHECK(at(body(only, o), "messages.0") == R"({"role":"user","content":"Say hello."})");
    CHECK(at(body(only, o), "system") == "");
}

TEST_CASE("Anthropic: forms of answers") {
    auto const o = of(dialect::anthropic);
    CHECK(at(body(ask_for(answer_kind::json_schema), o), "output_config.format") ==
          R"({"type":"json_schema","schema":)" + schema() + "}");
    auto const t = body(ask_for(answer_kind::tool_call), o);
    CHECK(at(t, "tools.0.input_schema") == schema());
    CHECK(at(t, "tool_choice") ==
          R"({"type":"tool","name":"size","disable_parallel_tool_use":true})");
    // There is no mode for any object, so the model is told.
    CHECK(at(body(ask_for(answer_kind::json_object), o), "system") ==
          R"("Answer with one JSON object and nothing else.")");
}

TEST_CASE("Ollama: knobs among the options, a schema for tools too") {
    auto o = of(dialect::ollama);
    auto const b = body(talk(), o);
    CHECK(at(b, "options") == R"({"temperature":5E-1,"num_predict":100,"seed":7})");
    CHECK(at(b, "messages.0.role") == R"("system")");
    CHECK(at(b, "stream") == "true");
    CHECK(at(b, "truncate") == "false"); // both are on where they are absent
    CHECK(at(b, "shift") == "false");
    CHECK(at(body(ask_for(answer_kind::json_schema), o), "format") == schema());
    CHECK(at(body(ask_for(answer_kind::tool_call), o), "format") == schema());
    CHECK(at(body(ask_for(answer_kind::json_object), o), "format") == R"("json")");
    o.stream = false; // which is on where it is absent
    CHECK(at(body(ask(), o), "stream") == "false");
    CHECK(at(body(ask(), o), "options") == "");
}

TEST_CASE("effort, as each server takes it") {
    auto r = ask();
    r.effort = lkt::effort::high;
    CHECK(at(body(r, of(dialect::openai_chat)), "reasoning_effort") == R"("high")");
    CHECK(at(body(r, of(dialect::openai_responses)), "reasoning") == R"({"effort":"high"})");
    CHECK(at(body(r, of(dialect::ollama)), "think") == R"("high")");
    CHECK(at(body(r, of(dialect::llama_cpp)), "chat_template_kwargs") ==
          R"({"enable_thinking":true,"reasoning_effort":"high"})");
    CHECK(at(body(r, of(dialect::vllm)), "reasoning_effort") == R"("high")");
    CHECK(at(body(r, of(dialect::vllm)), "chat_template_kwargs.enable_thinking") == "true");

    auto claude = of(dialect::anthropic);
    claude.model = "claude-sonnet-4-6";
    CHECK(at(body(r, claude), "thinking") == R"({"type":"adaptive"})");
    CHECK(at(body(r, claude), "output_config") == R"({"effort":"high"})");
    CHECK(at(body(r, claude), "max_tokens") == "32768");
    claude.model = "claude-haiku-4-5-20251001";
    CHECK(at(body(r, claude), "thinking") == R"({"type":"enabled","budget_tokens":16384})");
    CHECK(at(body(r, claude), "output_config") == "");
    r.temperature = 0.2; // a model that thinks takes none
    CHECK(at(body(r, claude), "temperature") == "");
    r.max_tokens = 1000; // no room for the least budget
    CHECK(at(body(r, claude), "thinking") == "");
    CHECK(at(body(r, claude), "temperature") == "2E-1");
    auto forced = ask_for(answer_kind::tool_call);
    forced.effort = lkt::effort::high;
    CHECK(at(body(forced, claude), "thinking") == "");

    r.effort = lkt::effort::none;
    CHECK(at(body(r, claude), "thinking") == R"({"type":"disabled"})");
    CHECK(at(body(r, of(dialect::openai_chat)), "reasoning_effort") == R"("none")");
    CHECK(at(body(r, of(dialect::ollama)), "think") == "false");
    CHECK(at(body(r, of(dialect::llama_cpp)), "chat_template_kwargs") ==
          R"({"enable_thinking":false})");
    CHECK(at(body(r, of(dialect::vllm)), "reasoning_effort") == "");
    CHECK(at(body(r, of(dialect::vllm)), "chat_template_kwargs.enable_thinking") == "false");
}

TEST_CASE("the user's body is merged last, members within members too") {
    auto o = of(dialect::ollama);
    o.body = R"({"options":{"num_ctx":32768,"seed":null},"keep_alive":"1h","stream":null})";
    auto const b = body(talk(), o);
    CHECK(at(b, "options") == R"({"temperature":5E-1,"num_predict":100,"num_ctx":32768})");
    CHECK(at(b, "keep_alive") == R"("1h")");
    CHECK(at(b, "stream") == "");
    o.body = R"({"options":[1]})";
    CHECK(at(body(talk(), o), "options") == "[1]");
    for (std::string const text : {"[1]", "{", "{\"a\":1} x", "\"a\"", "nonsense"}) {
        o.body = text;
        auto const wire = answers::http::encode(ask(), o, "");
        REQUIRE_FALSE(wire.has_value());
        CHECK(wire.error().code == "lkt.http.request");
        CHECK(wire.error().message.find("http_options::body") != std::string::npos);
    }
    o.body = " \n";
    CHECK(at(body(ask(), o), "model") == R"("m1")");
}

TEST_CASE("paths and headers") {
    auto const sent = [](lkt::http_options const& o, std::string_view key) {
        auto const wire = answers::http::encode(ask(), o, key);
        REQUIRE(wire.has_value());
        std::string text = wire->target;
        for (auto const& [name, value] : wire->headers) text += "\n" + name + ": " + value;
        return text;
    };
    auto o = of(dialect::openai_chat);
    CHECK(sent(o, "k-123\n") == "/chat/completions\ncontent-type: application/json\n"
                                "accept: text/event-stream\nauthorization: Bearer k-123");
    o.stream = false;
    CHECK(sent(o, "") ==
          "/chat/completions\ncontent-type: application/json\naccept: application/json");
    CHECK(sent(of(dialect::openai_responses), "").starts_with("/responses\n"));
    CHECK(sent(of(dialect::ollama), "")
              .starts_with(
                  "/api/chat\ncontent-type: application/json\naccept: application/x-ndjson"));
    auto a = of(dialect::anthropic);
    CHECK(sent(a, "k-123").ends_with("anthropic-version: 2023-06-01\nx-api-key: k-123"));
    CHECK(sent(a, "").starts_with("/v1/messages\n"));
    a.base_url = "http://127.0.0.1:8080/v1/";
    CHECK(sent(a, "").starts_with("/messages\n"));
    // The user's headers come last, and replace.
    o.headers = {{"Authorization", "Basic eA=="}, {"X-Title", "lkt"}};
    CHECK(sent(o, "k-123").ends_with("authorization: Basic eA==\nX-Title: lkt"));
}

TEST_CASE("what cannot be sent is refused, and no key is shown") {
    auto const refused =
        [](lkt::chat_request const& r, lkt::http_options const& o, std::string_view key = "") {
            auto const wire = answers::http::encode(r, o, key);
            REQUIRE_FALSE(wire.has_value());
            CHECK(wire.error().code == "lkt.http.request");
            CHECK(wire.error().kind == lkt::condition::rejected);
            CHECK_FALSE(wire.error().hint.empty());
            return wire.error().message;
        };
    auto const o = of(dialect::openai_chat);
    refused({}, o);
    refused(ask(" \n"), o);
    auto nameless = o;
    nameless.model.clear();
    refused(ask(), nameless);
    auto r = ask();
    r.temperature = std::numeric_limits<double>::quiet_NaN();
    refused(r, o);
    r = ask();
    r.max_tokens = 0;
    refused(r, o);
    r = ask_for(answer_kind::json_schema);
    r.format->schema = "{\"type\": ";
    CHECK(refused(r, o).find("schema of `size`") != std::string::npos);
    r.format->schema = "[]";
    refused(r, o);
    r.format->schema = "{}";
    r.format->name = "no blanks";
    refused(r, o);
    r.format->name = std::string(65, 'a');
    refused(r, o);
    CHECK(refused(ask(), o, "secret1\r\nx-evil: 1").find("secret1") == std::string::npos);
    auto evil = o;
    evil.headers = {{"x-a", "1\r\nx-b: 2"}};
    refused(ask(), evil);
    evil.headers = {{"x a", "1"}};
    refused(ask(), evil);
}

TEST_CASE("bytes that are no UTF-8 are replaced in what is sent") {
    for (auto const d : all) {
        auto const wire = answers::http::encode(ask("a\xFFz"), of(d), "");
        REQUIRE(wire.has_value());
        CHECK(wire->body.find("a\xEF\xBF\xBDz") != std::string::npos);
    }
}

TEST_CASE("OpenAI's chat: a whole answer") {
    auto const o = of(dialect::openai_chat);
    auto const reply = read(
        ask(),
        o,
        chat(
            R"({"role":"assistant","content":"Tiled.","refusal":null})",
            R"(,"usage":{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29,)"
            R"("prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":4}})"));
    REQUIRE(reply.has_value());
    CHECK(*reply ==
          lkt::chat_reply{"Tiled.", "", "m1-2026", "", lkt::finish::stop, {20, 9, 16, 4, false}});

    auto const refusal = read(ask(), o, chat(R"({"content":null,"refusal":"I will not."})"));
    REQUIRE(refusal.has_value());
    CHECK(refusal->text == "I will not.");
    CHECK(refusal->finish == lkt::finish::filtered);
    CHECK(refusal->usage.estimated);
    CHECK(refusal->usage.input == 4);
    CHECK(refusal->usage.output == 3);

    // Reasoning that is not counted among the completion's tokens, as the total shows.
    auto const apart =
        read(ask(),
             o,
             chat(R"({"content":"x"})",
                  R"(,"usage":{"prompt_tokens":20,"completion_tokens":9,"total_tokens":129,)"
                  R"("completion_tokens_details":{"reasoning_tokens":100}})"));
    REQUIRE(apart.has_value());
    CHECK(apart->usage == lkt::token_usage{20, 109, 0, 100, false});
    auto const deepseek = read(
        ask(),
        o,
        chat(
            R"({"content":"x"})",
            R"(,"usage":{"prompt_tokens":20,"completion_tokens":9,"prompt_cache_hit_tokens":12})"));
    CHECK(deepseek->usage.cached == 12);
    auto const llama = read(
        ask(),
        of(dialect::llama_cpp),
        chat(R"({"content":"x"})", R"(,"timings":{"cache_n":5,"prompt_n":7,"predicted_n":3})"));
    CHECK(llama->usage == lkt::token_usage{12, 3, 5, 0, false});
}

TEST_CASE("OpenAI's chat: reasoning by all its names") {
    auto const o = of(dialect::vllm);
    for (std::string const field : {R"("reasoning_content":"hm")",
                                    R"("reasoning":"hm")",
                                    R"("thinking":"hm")",
                                    R"("reasoning":{"content":"hm"})",
                                    R"("reasoning":[{"text":"h"},{"text":"m"}])",
                                    R"("reasoning_content":null,"reasoning":"hm")",
                                    R"("reasoning":"hm","reasoning_content":"hm")"}) {
        auto const reply = read(ask(), o, chat("{\"content\":\"<think> is a tag\"," + field + "}"));
        REQUIRE(reply.has_value());
        CHECK(reply->reasoning == "hm");
        CHECK(reply->text == "<think> is a tag"); // the server has told them apart
    }
    auto const tags = read(ask(), o, chat(R"({"content":"<think>\nhm\n</think>\n\nyes"})"));
    REQUIRE(tags.has_value());
    CHECK(tags->text == "yes");
    CHECK(tags->reasoning == "hm");
    auto const parts = read(
        ask(),
        o,
        chat(
            R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]})"));
    CHECK(parts->text == "yes");
    CHECK(parts->reasoning == "hm");
    auto const lone = read(ask(), o, chat(R"({"content":"hm\n</think>\n\nyes"})"));
    CHECK(lone->text == "yes");
    CHECK(lone->reasoning == "hm");
    auto own = o;
    own.thinking = {{"[why]", "[/why]"}};
    for (std::string const text : {"[why]hm[/why]yes", "hm[/why]\\nyes"}) {
        auto const reply = read(ask(), own, chat(R"({"content":")" + text + R"("})"));
        CHECK(reply->text == "yes");
        CHECK(reply->reasoning == "hm");
    }
}

TEST_CASE("OpenAI's chat: the arguments of a call are the answer") {
    auto const o = of(dialect::openai_chat);
    auto const r = ask_for(answer_kind::tool_call);
    auto const call = [&](std::string const& arguments) {
        return chat(R"({"content":null,"tool_calls":[{"id":"t1","type":"function","function":)"
                    R"({"name":"size","arguments":)" +
                    arguments + R"(}},{"function":{"arguments":"{}"}}]})");
    };
    CHECK(read(r, o, call(R"("{\"n\": 3}")"))->text == R"({"n": 3})");
    CHECK(read(r, o, call(R"({"n":3})"))->text == R"({"n":3})");
    auto const both = read(
        r,
        o,
        chat(
            R"({"content":"I call it.","tool_calls":[{"function":{"name":"size","arguments":"{\"n\":3}"}}]})"));
    CHECK(both->text == R"({"n":3})");
    CHECK(both->reasoning == "I call it.");
    // Where nobody asked for a call, it is the answer only if there is no other.
    CHECK(read(ask(), o, call(R"("{\"n\":3}")"))->text == R"({"n":3})");
    CHECK(
        read(
            ask(),
            o,
            chat(
                R"({"content":"yes","tool_calls":[{"function":{"name":"size","arguments":"{}"}}]})"))
            ->text == "yes");
    // A server that ignores tools answers in words.
    CHECK(read(r, o, chat(R"({"content":"{\"n\":3}"})"))->text == R"({"n":3})");
}

TEST_CASE("why it ended") {
    using lkt::finish;
    auto const chat_finish = [](std::string const& reason) {
        return read(ask(),
                    of(dialect::openai_chat),
                    R"({"choices":[{"message":{"content":"x"},"finish_reason":)" + reason + "}]}")
            ->finish;
    };
    CHECK(chat_finish("\"stop\"") == finish::stop);
    CHECK(chat_finish("\"tool_calls\"") == finish::stop);
    CHECK(chat_finish("\"length\"") == finish::length);
    CHECK(chat_finish("\"content_filter\"") == finish::filtered);
    CHECK(chat_finish("\"eos\"") == finish::unknown);
    CHECK(chat_finish("7") == finish::unknown);
    CHECK(chat_finish("null") == finish::unknown);
    auto const claude_finish = [](std::string const& reason) {
        return read(ask(),
                    of(dialect::anthropic),
                    R"({"content":[{"type":"text","text":"x"}],"stop_reason":")" + reason + "\"}")
            ->finish;
    };
    CHECK(claude_finish("end_turn") == finish::stop);
    CHECK(claude_finish("stop_sequence") == finish::stop);
    CHECK(claude_finish("max_tokens") == finish::length);
    CHECK(claude_finish("model_context_window_exceeded") == finish::length);
    CHECK(claude_finish("refusal") == finish::filtered);
    CHECK(claude_finish("pause_turn") == finish::unknown);
    auto const ollama_finish = [](std::string const& reason) {
        return read(ask(),
                    of(dialect::ollama),
                    R"({"message":{"content":"x"},"done":true,"done_reason":")" + reason + "\"}")
            ->finish;
    };
    CHECK(ollama_finish("stop") == finish::stop);
    CHECK(ollama_finish("length") == finish::length);
    CHECK(ollama_finish("unload") == finish::unknown);
}

TEST_CASE("OpenAI's responses: a whole answer") {
    auto const o = of(dialect::openai_responses);
    auto const reply = read(
        ask(),
        o,
        R"({"id":"r1","object":"response","status":"completed","model":"m1-2026","error":null,"incomplete_details":null,
            "output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"first"},{"type":"summary_text","text":"then"}]},
                      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Tiled.","annotations":[]}]}],
            "usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},"output_tokens":9,
                     "output_tokens_details":{"reasoning_tokens":5},"total_tokens":29}})");
    REQUIRE(reply.has_value());
    CHECK(*reply ==
          lkt::chat_reply{
              "Tiled.", "first\n\nthen", "m1-2026", "", lkt::finish::stop, {20, 9, 8, 5, false}});
    auto const cut = read(
        ask(),
        o,
        R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":{"input_tokens":1,"output_tokens":2}})");
    REQUIRE(cut.has_value());
    CHECK(cut->finish == lkt::finish::length);
    CHECK(cut->text.empty());
    auto const call = read(
        ask_for(answer_kind::tool_call),
        o,
        R"({"status":"completed","output":[{"type":"function_call","name":"size","arguments":"{\"n\":3}"}]})");
    CHECK(call->text == R"({"n":3})");
    auto const refusal = read(
        ask(),
        o,
        R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})");
    CHECK(refusal->finish == lkt::finish::filtered);
    CHECK(
        code_of(read(
            ask(),
            o,
            R"({"status":"failed","error":{"code":"server_error","message":"Boom"},"output":[]})")) ==
        "lkt.http.server");
    CHECK(code_of(read(ask(), o, R"({"status":"cancelled","output":[]})")) == "lkt.http.server");
}

TEST_CASE("Anthropic: a whole answer") {
    auto const o = of(dialect::anthropic);
    auto const reply = read(ask(),
                            o,
                            R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x",
            "content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"eA=="},
                       {"type":"text","text":"Tiled "},{"type":"text","text":"loads."}],
            "stop_reason":"end_turn","stop_sequence":null,
            "usage":{"input_tokens":20,"cache_creation_input_tokens":100,"cache_read_input_tokens":300,"output_tokens":9}})");
    REQUIRE(reply.has_value());
    CHECK(*reply ==
          lkt::chat_reply{
              "Tiled loads.", "hm", "claude-x", "", lkt::finish::stop, {420, 9, 300, 0, false}});
    auto const call = read(
        ask_for(answer_kind::tool_call),
        o,
        R"({"content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"t","name":"size","input":{"n":3}},
                       {"type":"tool_use","id":"u","name":"size","input":{"n":4}}],"stop_reason":"tool_use"})");
    REQUIRE(call.has_value());
    CHECK(call->text == R"({"n":3})");
    CHECK(call->reasoning == "So:");
    CHECK(call->finish == lkt::finish::stop);
    CHECK(
        read(
            ask_for(answer_kind::tool_call),
            o,
            R"({"content":[{"type":"tool_use","name":"size","input":{}}],"stop_reason":"tool_use"})")
            ->text == "{}");
}

TEST_CASE("Ollama: a whole answer") {
    auto const o = of(dialect::ollama);
    std::string const text =
        R"({"model":"qwen3:8b","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Tiled.","thinking":"hm"},
            "done":true,"done_reason":"stop","total_duration":9,"prompt_eval_count":20,"eval_count":9})";
    lkt::chat_reply const expected{
        "Tiled.", "hm", "qwen3:8b", "", lkt::finish::stop, {20, 9, 0, 0, false}};
    auto const reply = read(ask(), o, text);
    REQUIRE(reply.has_value());
    CHECK(*reply == expected); // although it has several lines
    auto const call = read(
        ask_for(answer_kind::tool_call),
        o,
        R"({"message":{"content":"","tool_calls":[{"function":{"name":"size","arguments":{"n":3}}},{"function":{"arguments":{}}}]},"done":true})");
    CHECK(call->text == R"({"n":3})");
    // A prompt that lay in the cache is not counted by some versions.
    auto const half = read(ask(), o, R"({"message":{"content":"x"},"done":true,"eval_count":9})");
    CHECK(half->usage == lkt::token_usage{4, 9, 0, 0, true});
}

TEST_CASE("an empty answer is none, unless it says why it is empty") {
    CHECK(code_of(read(ask(), of(dialect::openai_chat), chat(R"({"content":""})"))) ==
          "lkt.http.empty");
    CHECK(code_of(read(ask(), of(dialect::openai_chat), "")) == "lkt.http.empty");
    CHECK(code_of(read(ask(),
                       of(dialect::anthropic),
                       R"({"type":"message","content":[],"stop_reason":"end_turn"})")) ==
          "lkt.http.empty");
    auto const used_up = read(
        ask(),
        of(dialect::openai_chat),
        R"({"choices":[{"message":{"content":null},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":50}})");
    REQUIRE(used_up.has_value());
    CHECK(used_up->finish == lkt::finish::length);
    auto const filtered =
        read(ask(),
             of(dialect::openai_chat),
             R"({"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]})");
    CHECK(filtered->finish == lkt::finish::filtered);
    // Reasoning alone is what the model said.
    CHECK(read(ask(), of(dialect::openai_chat), chat(R"({"content":"","reasoning":"hm"})"))
              ->reasoning == "hm");
}

TEST_CASE("errors within a 200") {
    auto const o = of(dialect::openai_chat);
    auto const error_of = [&](std::string text) {
        auto const reply = read(ask(), o, std::move(text));
        REQUIRE_FALSE(reply.has_value());
        return reply.error();
    };
    auto const busy = error_of(R"({"error":{"message":"Slow down","type":"x","code":429}})");
    CHECK(busy.code == "lkt.http.rate-limit");
    CHECK(busy.kind == lkt::condition::transient);
    CHECK(busy.message.find("Slow down") != std::string::npos);
    CHECK(error_of(R"({"error":{"type":"overloaded_error","message":"m"}})").code ==
          "lkt.http.server");
    CHECK(error_of(R"({"error":{"code":"insufficient_quota","message":"m"}})").kind ==
          lkt::condition::exhausted);
    CHECK(error_of(R"({"error":"the runner stopped"})").kind == lkt::condition::transient);
    CHECK(error_of(R"([{"error":{"code":400,"message":"m"}}])").code == "lkt.http.bad-request");
    CHECK(
        error_of(
            R"({"choices":[{"error":{"code":502,"message":"m"},"message":{"content":""},"finish_reason":"error"}]})")
            .code == "lkt.http.server");
    CHECK(error_of(R"({"error":{}})").kind == lkt::condition::transient);
    CHECK(read(ask(), o, chat(R"({"content":"x"})", R"(,"error":null)")).has_value());
}

TEST_CASE("something other than an answer is named, with its beginning") {
    auto const o = of(dialect::openai_chat, "http://proxy.local:8080/v1");
    auto const page = answers::http::decode(
        ask(),
        o,
        answers::whole("<!DOCTYPE html><html><body>Please log in</body></html>", "text/html"));
    REQUIRE_FALSE(page.has_value());
    CHECK(page.error().code == "lkt.http.content-type");
    CHECK(page.error().kind == lkt::condition::rejected);
    CHECK(page.error().message.find("proxy.local:8080") != std::string::npos);
    CHECK(page.error().message.find("Please log in") != std::string::npos);
    auto const titled = read(ask(), o, "<html><head><title>Log in</title></head></html>");
    CHECK(code_of(titled) == "lkt.http.content-type");
    CHECK(titled.error().message.find("`Log in`") != std::string::npos);
    // What it is called does not matter.
    CHECK(answers::http::decode(
              ask(), o, answers::whole(chat(R"({"content":"yes"})"), "text/html; charset=utf-8"))
              ->text == "yes");
    CHECK(code_of(read(ask(), o, "upstream connect error")) == "lkt.http.content-type");
    CHECK(code_of(read(ask(), o, R"({"hello":"world"})")) == "lkt.http.content-type");
    CHECK(code_of(read(ask(), o, "[]")) == "lkt.http.content-type");

    auto const broken = read(ask(), o, R"({"choices": [tru]})");
    REQUIRE_FALSE(broken.has_value());
    CHECK(broken.error().code == "lkt.http.malformed");
    CHECK(broken.error().kind == lkt::condition::transient);
    CHECK_MESSAGE(broken.error().message.find("line 1, column 14") != std::string::npos,
                  broken.error().message);
    CHECK(code_of(read(ask(), o, R"({"choices": [)")) == "lkt.http.cut-off");
    CHECK(code_of(read(ask(), o, std::string(100000, '['))) == "lkt.http.malformed");
    auto small = o;
    small.max_reply = 10;
    CHECK(code_of(read(ask(), small, chat(R"({"content":"x"})"))) == "lkt.http.too-long");
}

TEST_CASE("any type may stand anywhere, and numbers may be any") {
    std::string_view const values[] = {"null",
                                       "true",
                                       "7",
                                       "-1",
                                       "1e300",
                                       "18446744073709551615",
                                       "\"x\"",
                                       "[]",
                                       "[[null]]",
                                       "{}",
                                       "{\"a\":[]}",
                                       "[{\"index\":\"0\"}]"};
    std::string_view const fields[] = {"choices",
                                       "message",
                                       "delta",
                                       "content",
                                       "usage",
                                       "model",
                                       "tool_calls",
                                       "output",
                                       "stop_reason",
                                       "done",
                                       "done_reason",
                                       "prompt_tokens",
                                       "type",
                                       "reasoning",
                                       "status",
                                       "error",
                                       "eval_count",
                                       "function"};
    int looked_at = 0;
    for (auto const d : all)
        for (auto const outer : fields)
            for (auto const inner : fields)
                for (auto const value : values) {
                    std::string const leaf =
                        "{\"" + std::string(inner) + "\":" + std::string(value);
                    auto const reply =
                        read(ask(), of(d), "{\"" + std::string(outer) + "\":" + leaf + "}}");
                    if (!reply) REQUIRE(reply.error().code.starts_with("lkt.http."));
                    (void)read(ask(), of(d), "{\"" + std::string(outer) + "\":[" + leaf + "}]}");
                    ++looked_at;
                }
    CHECK(looked_at > 20000);
    auto const huge = read(
        ask(),
        of(dialect::openai_chat),
        chat(
            R"({"content":"x"})",
            R"(,"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":-3,"prompt_tokens_details":{"cached_tokens":1e18}})"));
    REQUIRE(huge.has_value());
    CHECK(huge->usage.input == 4);  // estimated
    CHECK(huge->usage.output == 1); // estimated
    CHECK(huge->usage.cached <= huge->usage.input);
}
