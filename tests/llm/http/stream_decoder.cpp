// SPDX-License-Identifier: BSL-1.0
// Answers that arrive in pieces, each cut at every place.
#include "answers.hpp"

#include <boost/json/serialize.hpp>

#include <random>

namespace {

using answers::ask;
using answers::ask_for;
using answers::code_of;
using answers::events;
using answers::named_events;
using answers::of;
using answers::stream;
using lkt::answer_kind;
using lkt::dialect;
using lkt::finish;

std::string chunk(std::string const& delta, std::string const& reason = "null") {
    return R"({"id":"c","object":"chat.completion.chunk","model":"m1-2026","choices":[{"index":0,"delta":)" +
           delta + R"(,"finish_reason":)" + reason + "}]}";
}

/// A stream of OpenAI's chat in which the content comes in these pieces.
std::string contents(std::initializer_list<std::string_view> pieces) {
    std::string text;
    for (auto const piece : pieces) {
        boost::json::string const content(piece.data(), piece.size());
        text += events({chunk("{\"content\":" + boost::json::serialize(content) + "}")});
    }
    return text + events({chunk("{}", "\"stop\""), "[DONE]"});
}

std::string split_text(std::initializer_list<std::string_view> pieces) {
    auto const out = stream(ask(), of(dialect::openai_chat), contents(pieces));
    return out.reply ? out.reply->text + "|" + out.reply->reasoning : out.reply.error().code;
}

} // namespace

TEST_CASE("OpenAI's chat: text, finish reason, usage in a chunk without choices") {
    auto const out = stream(
        ask(),
        of(dialect::openai_chat),
        ": keep-alive\n\n" +
            events(
                {chunk(R"({"role":"assistant","content":"","refusal":null})"),
                 chunk(R"({"content":"Ti"})"),
                 chunk(R"({"content":"led \u20ac \ud83d\ude00."})"),
                 chunk("{}", "\"stop\""),
                 R"({"model":"m1-2026","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":9,)"
                 R"("total_tokens":29,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":4}}})",
                 "[DONE]"}));
    REQUIRE(out.reply.has_value());
    CHECK(out.ended);
    CHECK(*out.reply == lkt::chat_reply{"Tiled \xE2\x82\xAC \xF0\x9F\x98\x80.",
                                        "",
                                        "m1-2026",
                                        "",
                                        finish::stop,
                                        {20, 9, 16, 4, false}});
}

TEST_CASE("text is passed on as it comes") {
    auto const request = ask();
    auto const options = of(dialect::openai_chat);
    answers::http::stream_decoder decoder(request, options);
    std::string text;
    CHECK_FALSE(decoder.feed(events({chunk(R"({"content":"Til"})")}), text).has_value());
    CHECK(text == "Til");
    CHECK_FALSE(decoder.feed(events({chunk(R"({"content":"ed"})")}), text).has_value());
    CHECK(text == "Tiled");
    CHECK_FALSE(decoder.ended());
    CHECK_FALSE(decoder.feed(events({chunk("{}", "\"stop\""), "[DONE]"}), text).has_value());
    CHECK(decoder.ended());
    // What a server says after its end is not looked at.
    CHECK_FALSE(decoder.feed("data: {nonsense}\n\n", text).has_value());
    auto moved = std::move(decoder);
    CHECK(moved.finish(false, text)->text == "Tiled");
    CHECK(text == "Tiled");
}

TEST_CASE("an end without [DONE] is one, if there was a finish reason; usage is estimated then") {
    auto const out = stream(ask("four four"),
                            of(dialect::openai_chat),
                            events({chunk(R"({"content":"Tiled"})"), chunk("{}", "\"length\"")}));
    REQUIRE(out.reply.has_value());
    CHECK(out.reply->finish == finish::length);
    CHECK(out.reply->usage == lkt::token_usage{3, 2, 0, 0, true});
    CHECK_FALSE(out.ended);
    // Even when the connection breaks.
    CHECK(stream(ask(),
                 of(dialect::openai_chat),
                 events({chunk("{\"content\":\"x\"}", "\"stop\"")}),
                 true)
              .reply.has_value());
    // [DONE] without the line's end, and without a finish reason.
    auto const bare = stream(
        ask(), of(dialect::openai_chat), events({chunk("{\"content\":\"x\"}")}) + "data: [DONE]");
    REQUIRE(bare.reply.has_value());
    CHECK(bare.reply->finish == finish::unknown);
}

TEST_CASE("an answer that breaks off is a transient error, wherever it does") {
    std::string const text =
        events({chunk(R"({"content":"Tiled"})"), chunk(R"({"content":" loads"})")});
    for (bool const broke : {false, true}) {
        auto const out = stream(ask(), of(dialect::openai_chat), text, broke);
        REQUIRE_FALSE(out.reply.has_value());
        CHECK(out.reply.error().code == "lkt.http.cut-off");
        CHECK(out.reply.error().kind == lkt::condition::transient);
        CHECK(out.passed_on == "Tiled loads");
    }
    std::string const whole = text + events({chunk("{}", "\"stop\""), "[DONE]"});
    for (std::size_t n = 0; n < text.size(); ++n)
        CHECK(
            code_of(answers::in_pieces(ask(), of(dialect::openai_chat), {whole.substr(0, n)}, true)
                        .reply) == "lkt.http.cut-off");
}

TEST_CASE("errors within the stream") {
    auto const o = of(dialect::openai_chat);
    auto const error_after_text = [&](std::string const& tail) {
        auto const out = stream(ask(), o, events({chunk(R"({"content":"Ti"})")}) + tail);
        REQUIRE_FALSE(out.reply.has_value());
        CHECK(out.passed_on == "Ti");
        return out.reply.error();
    };
    auto const broken = error_after_text(
        events({R"({"error":{"message":"Out of memory","type":"server_error","code":500}})"}));
    CHECK(broken.code == "lkt.http.server");
    CHECK(broken.message.find("Out of memory") != std::string::npos);
    CHECK(error_after_text("event: error\ndata: {\"message\":\"m\",\"code\":\"429\"}\n\n").code ==
          "lkt.http.rate-limit");
    // llama.cpp's server had a field of its own for it.
    CHECK(error_after_text(
              "error: {\"code\":400,\"message\":\"m\",\"type\":\"invalid_request_error\"}\n\n")
              .code == "lkt.http.bad-request");
    CHECK(error_after_text("event: error\ndata: no JSON at all\n\n").code == "lkt.http.server");
    auto const malformed = error_after_text("data: {\"choices\": [x]}\n\n");
    CHECK(malformed.code == "lkt.http.malformed");
    CHECK(malformed.message.find("column 14") != std::string::npos);
}

TEST_CASE("OpenAI's chat: arguments come in fragments, and are the text") {
    auto const call = [](int index, std::string const& arguments) {
        return chunk(R"({"tool_calls":[{"index":)" + std::to_string(index) +
                     R"(,"function":{"arguments":)" + arguments + "}}]}");
    };
    auto const out = stream(
        ask_for(answer_kind::tool_call),
        of(dialect::openai_chat),
        events(
            {chunk(R"({"content":"I call it."})"),
             chunk(
                 R"({"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"size","arguments":""}}]})"),
             call(0, R"("{\"n\"")"),
             call(0, R"(": 3}")"),
             call(1, R"("{\"n\": 4}")"),
             chunk("{}", "\"tool_calls\""),
             "[DONE]"}));
    REQUIRE(out.reply.has_value());
    CHECK(out.reply->text == R"({"n": 3})");
    CHECK(out.reply->reasoning == "I call it.");
    CHECK(out.reply->finish == finish::stop);
    // A server that ignores the tool.
    auto const words = stream(
        ask_for(answer_kind::tool_call), of(dialect::openai_chat), contents({"{\"n\"", ":3}"}));
    CHECK(words.reply->text == R"({"n":3})");
}

TEST_CASE("OpenAI's chat: reasoning and refusals") {
    for (std::string const field : {"reasoning_content", "reasoning", "thinking"}) {
        auto const out = stream(ask(),
                                of(dialect::vllm),
                                events({chunk("{\"" + field + "\":\"hm, \"}"),
                                        chunk("{\"" + field + "\":\"well\"}"),
                                        chunk(R"({"content":"<think> is a tag"})"),
                                        chunk("{}", "\"stop\""),
                                        "[DONE]"}));
        REQUIRE(out.reply.has_value());
        CHECK(out.reply->reasoning == "hm, well");
        CHECK(out.reply->text == "<think> is a tag");
    }
    auto const refusal = stream(ask(),
                                of(dialect::openai_chat),
                                events({chunk(R"({"refusal":"I will"})"),
                                        chunk(R"({"refusal":" not."})"),
                                        chunk("{}", "\"stop\""),
                                        "[DONE]"}));
    CHECK(refusal.reply->text == "I will not.");
    CHECK(refusal.reply->finish == finish::filtered);
}

TEST_CASE("reasoning between tags is not shown") {
    CHECK(split_text({"<think>\nhm\n</think>\n\nyes"}) == "yes|hm");
    CHECK(split_text({"<th", "ink>h", "m</thi", "nk>", "\nye", "s\n"}) == "yes|hm");
    CHECK(split_text({"<thing> is no tag"}) == "<thing> is no tag|");
    CHECK(split_text({" two  \n", "lines\n"}) == " two  \nlines\n|");
    CHECK(split_text({"<think>a</think>b\n<think>c</think>d"}) == "b\nd|a\nc");
    CHECK(split_text({"<think>I wonder"}) == "|I wonder");
    CHECK(split_text({"<think>\na\n<think>\nb\n</think>\nd"}) == "d|a\n<think>\nb");
    CHECK(split_text({"\n</think>\n\nyes"}) == "yes|");
    CHECK(split_text({"```html\n<think>\n```\nend"}) == "```html\n<think>\n```\nend|");
    CHECK(split_text({"a < b"}) == "a < b|");
    CHECK(split_text({"a <"}) == "a <|");
    // What has been shown cannot be taken back; readers of replies leave it out.
    CHECK(split_text({"hm\n</think>\n\nyes"}) == "hm\n</think>\n\nyes|");
    // Without a stream there is no such limit.
    auto const request = ask();
    auto const options = of(dialect::openai_chat);
    answers::http::stream_decoder decoder(request, options);
    std::string text;
    auto const first = events({chunk(R"({"content":"<think>secret thoughts"})")});
    CHECK_FALSE(decoder.feed(first, text).has_value());
    CHECK(text.empty());
}

TEST_CASE("tags of one's own are not shown either") {
    auto o = of(dialect::openai_chat);
    o.thinking = {{"<reasoning>", "</reasoning>"}};
    auto const out = stream(ask(), o, contents({"<reas", "oning>h", "m</reason", "ing>\nyes"}));
    REQUIRE(out.reply.has_value());
    CHECK(out.reply->text == "yes");
    CHECK(out.reply->reasoning == "hm");
    CHECK(out.passed_on == "yes");
}

TEST_CASE("OpenAI's responses") {
    auto const o = of(dialect::openai_responses);
    std::string const begin = named_events(
        {R"({"type":"response.created","response":{"model":"m1-2026","status":"in_progress","output":[]}})",
         R"({"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning"}})",
         R"({"type":"response.reasoning_summary_part.added"})",
         R"({"type":"response.reasoning_summary_text.delta","delta":"first"})",
         R"({"type":"response.reasoning_summary_part.added"})",
         R"({"type":"response.reasoning_summary_text.delta","delta":"then"})",
         R"({"type":"response.output_text.delta","delta":"Ti"})",
         R"({"type":"response.output_text.delta","delta":"led."})",
         R"({"type":"response.output_text.done","text":"Tiled."})"});
    std::string const usage =
        R"("usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":5}})";
    auto const out = stream(
        ask(),
        o,
        begin +
            named_events(
                {R"({"type":"response.completed","response":{"model":"m1-2026","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Tiled."}]}],)" +
                 usage + "}}"}));
    REQUIRE(out.reply.has_value());
    CHECK(out.ended);
    CHECK(*out.reply ==
          lkt::chat_reply{
              "Tiled.", "first\n\nthen", "m1-2026", "", finish::stop, {20, 9, 8, 5, false}});
    auto const cut = stream(
        ask(),
        o,
        begin +
            named_events(
                {R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}})"}));
    CHECK(cut.reply->finish == finish::length);
    CHECK(cut.reply->usage.estimated);
    auto const failed = stream(
        ask(),
        o,
        begin +
            named_events(
                {R"({"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow"}}})"}));
    CHECK(code_of(failed.reply) == "lkt.http.rate-limit");
    CHECK(
        code_of(stream(ask(),
                       o,
                       begin + named_events(
                                   {R"({"type":"error","code":"server_error","message":"Boom"})"}))
                    .reply) == "lkt.http.server");
    CHECK(code_of(stream(ask(), o, begin).reply) == "lkt.http.cut-off");
    // All at the end, from a server that imitates the stream.
    auto const late = stream(
        ask(),
        o,
        named_events(
            {R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Tiled."}]}]}})"}));
    CHECK(late.reply->text == "Tiled.");
    auto const call = stream(
        ask_for(answer_kind::tool_call),
        o,
        named_events(
            {R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"n\""})",
             R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":":3}"})",
             R"({"type":"response.function_call_arguments.delta","output_index":2,"delta":"{}"})",
             R"({"type":"response.completed","response":{"status":"completed","output":[]}})"}));
    CHECK(call.reply->text == R"({"n":3})");
}

TEST_CASE("Anthropic") {
    auto const o = of(dialect::anthropic);
    std::string const begin = named_events(
        {R"({"type":"message_start","message":{"id":"msg_1","model":"claude-x","content":[],"stop_reason":null,)"
         R"("usage":{"input_tokens":20,"cache_creation_input_tokens":100,"cache_read_input_tokens":300,"output_tokens":1}}})",
         R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}})",
         R"({"type":"content_block_stop","index":0})",
         R"({"type":"ping"})",
         R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
         R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Tiled "}})",
         R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"loads."}})",
         R"({"type":"content_block_stop","index":1})"});
    std::string const end = named_events(
        {R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}})",
         R"({"type":"message_stop"})"});
    auto const out = stream(ask(), o, begin + end);
    REQUIRE(out.reply.has_value());
    CHECK(out.ended);
    CHECK(*out.reply ==
          lkt::chat_reply{
              "Tiled loads.", "hm", "claude-x", "", finish::stop, {420, 9, 300, 0, false}});
    // The count is a sum up to then; the last one counts.
    auto const twice = stream(
        ask(),
        o,
        begin +
            named_events(
                {R"({"type":"message_delta","delta":{},"usage":{"output_tokens":5}})",
                 R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":21,"cache_read_input_tokens":300,"cache_creation_input_tokens":100,"output_tokens":12}})",
                 R"({"type":"message_stop"})"}));
    CHECK(twice.reply->usage == lkt::token_usage{421, 12, 300, 0, false});
    CHECK(twice.reply->finish == finish::length);
    auto const busy = stream(
        ask(),
        o,
        begin +
            named_events(
                {R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}));
    CHECK(code_of(busy.reply) == "lkt.http.server");
    CHECK(busy.reply.error().kind == lkt::condition::transient);
    CHECK(code_of(stream(ask(), o, begin).reply) == "lkt.http.cut-off");
    auto const call = stream(
        ask_for(answer_kind::tool_call),
        o,
        named_events(
            {R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"So:"}})",
             R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"size","input":{}}})",
             R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}})",
             R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\""}})",
             R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":": 3}"}})",
             R"({"type":"content_block_stop","index":1})",
             R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"u","name":"size","input":{}}})",
             R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}})",
             R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}})",
             R"({"type":"message_stop"})"}));
    REQUIRE(call.reply.has_value());
    CHECK(call.reply->text == R"({"n": 3})");
    CHECK(call.reply->reasoning == "So:");
    CHECK(call.reply->usage.estimated); // of the input, nothing was said
    CHECK(call.reply->usage.output == 9);
}

TEST_CASE("Ollama") {
    auto const o = of(dialect::ollama);
    std::string const begin =
        R"({"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"h"},"done":false})"
        "\n"
        R"({"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"m"},"done":false})"
        "\r\n\n"
        R"({"model":"qwen3:8b","message":{"role":"assistant","content":"Ti"},"done":false})"
        "\n"
        R"({"model":"qwen3:8b","message":{"role":"assistant","content":"led."},"done":false})"
        "\n";
    std::string const end =
        R"({"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":9})";
    lkt::chat_reply const expected{
        "Tiled.", "hm", "qwen3:8b", "", finish::stop, {20, 9, 0, 0, false}};
    for (std::string const last : {"", "\n", "\r\n"}) {
        auto const out = stream(ask(), o, begin + end + last);
        REQUIRE(out.reply.has_value());
        CHECK(*out.reply == expected);
    }
    auto const broken = stream(ask(), o, begin + "{\"error\":\"the runner has stopped\"}\n");
    CHECK(code_of(broken.reply) == "lkt.http.server");
    CHECK(broken.reply.error().message.find("the runner has stopped") != std::string::npos);
    CHECK(code_of(stream(ask(), o, "{\"error\":\"model not found\"}").reply) == "lkt.http.server");
    // What its runner answered, as a text.
    std::string const inner =
        R"({"error":"{\"error\":{\"code\":400,\"message\":\"no\",\"type\":\"exceed_context_size_error\"}}"})";
    CHECK(code_of(stream(ask(), o, begin + inner + "\n").reply) == "lkt.http.context-length");
    CHECK(code_of(stream(ask(), o, begin).reply) == "lkt.http.cut-off");
    CHECK(code_of(stream(ask(), o, begin + "{\"mess", true).reply) == "lkt.http.cut-off");
    CHECK(code_of(stream(ask(), o, begin + "{\"mess\n").reply) == "lkt.http.malformed");
}

TEST_CASE("JSON where a stream was asked for, and a stream where JSON was") {
    std::string const json =
        R"({"model":"m","choices":[{"message":{"content":"<think>hm</think>yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":3}})";
    for (std::string const& text : {json, "\xEF\xBB\xBF\n " + json + "\n\n"}) {
        auto const out = stream(ask(), of(dialect::openai_chat), text);
        REQUIRE(out.reply.has_value());
        CHECK(*out.reply ==
              lkt::chat_reply{"yes", "hm", "m", "", finish::stop, {2, 3, 0, 0, false}});
    }
    CHECK(code_of(stream(ask(), of(dialect::openai_chat), R"({"error":{"message":"m","code":401}})")
                      .reply) == "lkt.http.unauthorized");
    CHECK(code_of(stream(ask(), of(dialect::openai_chat), json.substr(0, 60), true).reply) ==
          "lkt.http.cut-off");
    CHECK(code_of(stream(ask(), of(dialect::openai_chat), "<html>Log in</html>").reply) ==
          "lkt.http.content-type");
    CHECK(code_of(stream(ask(), of(dialect::ollama), "bad gateway").reply) ==
          "lkt.http.content-type");
    CHECK(code_of(stream(ask(), of(dialect::openai_chat), "", true).reply) == "lkt.http.cut-off");
    CHECK(code_of(stream(ask(), of(dialect::openai_chat), "").reply) == "lkt.http.empty");

    auto plain = of(dialect::openai_chat);
    plain.stream = false;
    auto const reply =
        answers::http::decode(ask(), plain, answers::whole(contents({"yes"}), "text/event-stream"));
    REQUIRE(reply.has_value());
    CHECK(reply->text == "yes");
    auto const lines =
        answers::http::decode(ask(),
                              of(dialect::ollama),
                              answers::whole("{\"message\":{\"content\":\"ye\"},\"done\":false}\n"
                                             "{\"message\":{\"content\":\"s\"},\"done\":true}\n",
                                             "application/x-ndjson"));
    CHECK(lines->text == "yes");
    // A server with Ollama's protocol behind one that speaks in events.
    CHECK(
        stream(ask(), of(dialect::ollama), events({R"({"message":{"content":"yes"},"done":true})"}))
            .reply->text == "yes");
    auto const laid_out = stream(
        ask(), of(dialect::ollama), "{\n \"message\": {\"content\": \"yes\"},\n \"done\": true\n}");
    CHECK(laid_out.reply->text == "yes");
}

TEST_CASE("the longest reply is a limit, and the only one") {
    auto o = of(dialect::openai_chat);
    std::string const large(300'000, 'x');
    std::string const text = contents({large});
    auto const request = ask();
    answers::http::stream_decoder decoder(request, o);
    std::string passed_on;
    CHECK_FALSE(decoder.feed(text, passed_on).has_value());
    CHECK(passed_on == large);
    o.max_reply = 100;
    auto const out = stream(ask(), o, contents({"yes"}));
    CHECK(code_of(out.reply) == "lkt.http.too-long");
    CHECK(out.reply.error().kind == lkt::condition::rejected);
    o.max_reply = contents({"yes"}).size();
    CHECK(stream(ask(), o, contents({"yes"})).reply->text == "yes");
}
