// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/ask.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/schema.hpp>
#include <lkt/llm/scripted.hpp>

#include "answers.hpp"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

using namespace lkt;
using namespace lkt_test;

namespace {

constexpr std::string_view yes = R"({"worth_it": true, "reason": "memory bound"})";
constexpr std::string_view no_reason = R"({"worth_it": true})";
opinion const expected{true, "memory bound"};

conversation const question{{role::system, "You are terse."}, {role::user, "Worth it?"}};

chat_reply reply(std::string_view text, finish end = finish::stop) {
    chat_reply r;
    r.text = text;
    r.finish = end;
    r.usage = {10, 3, 2, 1, false};
    return r;
}
error refusal(std::string text) {
    return {condition::rejected, "lkt.http.rejected", std::move(text), ""};
}
error const no_schema = refusal("400: response_format json_schema is not supported");
error const no_tools = refusal("400: This model does not support tools");
error const no_object = refusal("400: unknown response_format type json_object");
error const no_bounds =
    refusal("400: Invalid schema: for 'string' type, property 'maxLength' is not supported");

ask_options in(answer_mode mode) { return {.mode = mode}; }

std::string last_turn(scripted_model const& model) {
    return model.requests().back().messages.back().text;
}
bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE("native schema: the request carries it, the answer is the struct") {
    scripted_model model{reply(yes)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_value());
    CHECK((got->value == expected));
    CHECK(got->mode == answer_mode::native_schema);
    REQUIRE(got->log.exchanges.size() == 1);
    CHECK((got->log.exchanges[0].reply == result<chat_reply>(reply(yes))));
    CHECK(got->log.exchanges[0].asked == "Worth it?");
    CHECK((got->log.usage == token_usage{10, 3, 2, 1, false}));
    auto const sent = model.requests().at(0);
    CHECK((sent.messages == question));
    REQUIRE(sent.format.has_value());
    CHECK(sent.format->kind == answer_kind::json_schema);
    CHECK(sent.format->name == "opinion");
    CHECK(sent.format->schema == schema_of<opinion>());
}

TEST_CASE("what the request says beside the format stays; names and descriptions are chosen") {
    scripted_model model{reply(R"({"steps": [{"title": "a", "relieves": "memory",
                                              "expected_gain": 1, "risk": null}]})")};
    chat_request request;
    request.messages = question;
    request.temperature = 0.5;
    request.seed = 7;
    request.format = answer_format{answer_kind::json_object, "old", "", ""};
    auto const got = ask<plan>(model, request, in(answer_mode::tool_call));
    REQUIRE(got.has_value());
    CHECK(got->mode == answer_mode::tool_call);
    auto const sent = model.requests().at(0);
    CHECK(sent.temperature == 0.5);
    CHECK(sent.seed == 7u);
    CHECK(sent.format->kind == answer_kind::tool_call);
    CHECK(sent.format->name == "plan");
    CHECK(sent.format->description == "A plan to make the kernel faster.");
    CHECK(sent.format->schema == schema_of<plan>());

    scripted_model named{reply(yes)};
    REQUIRE(ask<opinion>(named,
                         question,
                         {.mode = answer_mode::tool_call,
                          .name = "my opinion/é" + std::string(80, 'x'),
                          .description = "Say it."})
                .has_value());
    auto const format = *named.requests().at(0).format;
    CHECK(format.name.starts_with("my_opinion___xxx"));
    CHECK(format.name.size() == 64);
    CHECK(format.description == "Say it.");
}

TEST_CASE("JSON object: the schema is in the prompt, in the last user turn") {
    scripted_model model{reply(yes), reply(yes)};
    REQUIRE(ask<opinion>(model, question, in(answer_mode::json_object)).has_value());
    auto const sent = model.requests().at(0);
    CHECK(sent.format->kind == answer_kind::json_object);
    CHECK(sent.format->schema.empty());
    REQUIRE(sent.messages.size() == 2);
    CHECK(sent.messages[1].text.starts_with("Worth it?\n\nAnswer with one JSON object"));
    CHECK(has(sent.messages[1].text, schema_of<opinion>()));
    // After an assistant's turn it needs one of its own.
    auto longer = question;
    longer.push_back({role::assistant, "Let me think."});
    REQUIRE(ask<opinion>(model, longer, in(answer_mode::json_object)).has_value());
    REQUIRE(model.requests().at(1).messages.size() == 4);
    CHECK(model.requests().at(1).messages[3].role == role::user);
}

TEST_CASE("where the server enforces the schema, the prompt shows it on demand") {
    scripted_model model{reply(yes)};
    REQUIRE(ask<opinion>(model, question, {.show_schema = true}).has_value());
    CHECK(has(last_turn(model), schema_of<opinion>()));
    CHECK(model.requests().at(0).format->kind == answer_kind::json_schema);
}

TEST_CASE("separate request: a free answer, put into JSON by a second one") {
    scripted_model model{
        reply("<think>hm</think>Yes: it is {schema} memory bound."),
        reply("Draft:\n```json\n{\"worth_it\": false, \"reason\": \"x\"}\n```\nFinal:\n```json\n" +
              std::string(yes) + "\n```\n")};
    auto const got = ask<opinion>(model, question, in(answer_mode::separate_request));
    REQUIRE(got.has_value());
    CHECK((got->value == expected)); // the last block wins
    CHECK(got->mode == answer_mode::separate_request);
    CHECK(got->log.exchanges.size() == 2);
    CHECK(got->log.usage.input == 20);
    auto const sent = model.requests();
    REQUIRE(sent.size() == 2);
    CHECK((sent[0].messages == question));
    CHECK_FALSE(sent[0].format.has_value());
    CHECK_FALSE(sent[1].format.has_value());
    REQUIRE(sent[1].messages.size() == 1);
    CHECK(has(sent[1].messages[0].text, schema_of<opinion>()));
    // Reasoning is left out, and what was put in is not replaced again.
    CHECK(has(sent[1].messages[0].text, "<text>\nYes: it is {schema} memory bound.\n</text>"));
}

TEST_CASE("separate request: faults are fed back to the second conversation") {
    scripted_model model{reply("Yes."), reply(no_reason), reply(yes)};
    auto const got = ask<opinion>(model, question, in(answer_mode::separate_request));
    REQUIRE(got.has_value());
    auto const third = model.requests().at(2).messages;
    REQUIRE(third.size() == 3);
    CHECK(third[1].text == no_reason);
    CHECK(has(third[2].text, "- reason is missing"));
}

TEST_CASE("separate request: an empty first answer is asked for again") {
    scripted_model model{reply(""), reply("Yes."), reply(yes)};
    auto const got = ask<opinion>(model, question, in(answer_mode::separate_request));
    REQUIRE(got.has_value());
    CHECK(got->log.exchanges[0].faults == std::vector<std::string>{"the reply is empty"});
    CHECK(has(model.requests().at(1).messages.back().text, "the reply is empty"));
    scripted_model mute{reply(""), reply("", finish::filtered)};
    auto const none =
        ask<opinion>(mute, question, {.mode = answer_mode::separate_request, .attempts = 2});
    REQUIRE(none.has_error());
    CHECK(none.error().code == "lkt.ask.invalid");
    CHECK(has(none.error().message, "held back by the server"));
}

TEST_CASE("hybrid: the second request has the schema, and goes without where it is refused") {
    scripted_model native{reply("Yes."), reply(yes)};
    auto const got = ask<opinion>(native, question, in(answer_mode::hybrid));
    REQUIRE(got.has_value());
    CHECK(got->mode == answer_mode::hybrid);
    CHECK_FALSE(native.requests().at(0).format.has_value());
    CHECK(native.requests().at(1).format->kind == answer_kind::json_schema);

    scripted_model plain{reply("Yes."), no_schema, reply(yes)};
    REQUIRE(ask<opinion>(plain, question, in(answer_mode::hybrid)).has_value());
    CHECK(plain.requests().size() == 3);
    CHECK_FALSE(plain.requests().at(2).format.has_value());

    scripted_model dead{reply("Yes."), error{condition::transient, "lkt.http.status", "503", ""}};
    auto const none = ask<opinion>(dead, question, in(answer_mode::hybrid));
    REQUIRE(none.has_error());
    CHECK(none.error().kind == condition::transient);
}

TEST_CASE("automatic: each refusal is one step down") {
    scripted_model model{no_schema, no_tools, no_object, reply("Yes."), reply(yes)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_value());
    CHECK(got->mode == answer_mode::separate_request);
    auto const sent = model.requests();
    REQUIRE(sent.size() == 5);
    CHECK(sent[0].format->kind == answer_kind::json_schema);
    CHECK(sent[1].format->kind == answer_kind::tool_call);
    CHECK(sent[2].format->kind == answer_kind::json_object);
    CHECK_FALSE(sent[3].format.has_value());
    CHECK(got->log.exchanges.size() == 5);
    CHECK(got->log.exchanges[0].reply.has_error());
    CHECK(got->log.usage.output == 6); // refusals cost nothing

    scripted_model two{no_schema, reply(yes)};
    CHECK(ask<opinion>(two, question)->mode == answer_mode::tool_call);
    scripted_model three{no_schema, no_tools, reply(yes)};
    CHECK(ask<opinion>(three, question)->mode == answer_mode::json_object);
}

TEST_CASE("automatic: a schema whose bounds are refused goes without them") {
    scripted_model model{no_bounds, reply(yes)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_value());
    CHECK(got->mode == answer_mode::native_schema);
    CHECK(model.requests().at(1).format->schema == schema_of<opinion>({.bounds = false}));
    scripted_model again{no_bounds, no_bounds, reply(yes)};
    CHECK(ask<opinion>(again, question)->mode == answer_mode::tool_call);
    // There are none to leave out.
    scripted_model none{no_bounds, reply(R"({"speedup": 1, "share": 0, "bandwidth": null})")};
    CHECK(ask<estimate>(none, question)->mode == answer_mode::tool_call);
}

TEST_CASE("automatic: other errors are no reason to step down") {
    for (error const& other :
         {error{condition::transient, "lkt.http.status", "503: tool is overloaded", ""},
          error{condition::exhausted, "lkt.http.quota", "no credit for this format", ""},
          refusal("401: invalid key"),
          refusal("400: maximum context length exceeded by messages and tools")}) {
        scripted_model model{other, reply(yes)};
        auto const got = ask<opinion>(model, question);
        REQUIRE(got.has_error());
        CHECK((got.error() == other));
        CHECK(model.requests().size() == 1);
    }
    // Nor is one after the server has taken the form.
    scripted_model later{reply(no_reason), no_schema, reply(yes)};
    CHECK((ask<opinion>(later, question).error() == no_schema));
    // When all forms are refused, the last error is the one without any.
    scripted_model all{no_schema, no_tools, no_object, refusal("400: no")};
    CHECK(ask<opinion>(all, question).error().message == "400: no");
    // A mode that was chosen is not changed.
    scripted_model chosen{no_schema, reply(yes)};
    CHECK((ask<opinion>(chosen, question, in(answer_mode::native_schema)).error() == no_schema));
}

TEST_CASE("a memory lets the next call begin with what worked") {
    scripted_model model{no_schema, reply(yes), reply(yes), no_tools, reply(yes), reply(yes)};
    ask_memory memory;
    ask_options const options{.memory = &memory};
    CHECK_FALSE(memory.find(describe(model)).has_value());
    CHECK(ask<opinion>(model, question, options)->mode == answer_mode::tool_call);
    CHECK(memory.find(describe(model))->mode == answer_mode::tool_call);
    CHECK(ask<opinion>(model, question, options)->mode == answer_mode::tool_call);
    CHECK(model.requests().size() == 3);
    // What worked once may be refused later.
    CHECK(ask<opinion>(model, question, options)->mode == answer_mode::json_object);
    CHECK(ask<opinion>(model, question, options)->mode == answer_mode::json_object);
    CHECK(model.requests().size() == 6);

    scripted_model bounds{no_bounds, reply(yes)};
    ask_memory other;
    REQUIRE(ask<opinion>(bounds, question, {.memory = &other}).has_value());
    CHECK((other.find(describe(bounds)) == ask_memory::entry{answer_mode::native_schema, false}));
    // A failure that says nothing of the form is not remembered.
    scripted_model broken{refusal("401: invalid key")};
    ask_memory nothing;
    REQUIRE(ask<opinion>(broken, question, {.memory = &nothing}).has_error());
    CHECK_FALSE(nothing.find(describe(broken)).has_value());
}

TEST_CASE("faults are fed back, and the schema with them where it was not shown") {
    scripted_model model{reply(no_reason), reply("Sure: yes."), reply(yes)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_value());
    auto const sent = model.requests();
    REQUIRE(sent.size() == 3);
    REQUIRE(sent[1].messages.size() == 4);
    CHECK((sent[1].messages[2] == message{role::assistant, std::string(no_reason)}));
    CHECK(sent[1].messages[3].text ==
          "That answer cannot be used:\n- reason is missing\nAnswer again with the whole JSON "
          "object, with this corrected.\nIt must follow this JSON Schema:\n" +
              schema_of<opinion>());
    CHECK(sent[1].format.has_value());
    REQUIRE(sent[2].messages.size() == 6);
    CHECK(sent[2].messages[5].text ==
          "That answer cannot be used:\n- the reply has no fenced json block\nAnswer again with "
          "the whole JSON object, with this corrected.");
    CHECK(got->log.exchanges[0].faults == std::vector<std::string>{"reason is missing"});
    CHECK(got->log.exchanges[2].faults.empty());
}

TEST_CASE("a failed attempt leaves nothing in the next one") {
    scripted_model model{
        reply(R"({"steps": [{"title": "a", "relieves": "memory", "expected_gain": 500}]})"),
        reply(R"({"steps": [{"title": "b", "relieves": "compute", "expected_gain": 5}]})")};
    auto const got = ask<plan>(model, question);
    REQUIRE(got.has_value());
    REQUIRE(got->value.steps.size() == 1);
    CHECK(got->value.steps[0].title == "b");
}

TEST_CASE("attempts are used up") {
    scripted_model model{reply(no_reason), reply("{"), reply(R"({"worth_it": 3})"), reply(yes)};
    ask_log log;
    auto const got = ask<opinion>(model, question, {.log = &log});
    REQUIRE(got.has_error());
    CHECK(got.error().code == "lkt.ask.invalid");
    CHECK(got.error().kind == condition::rejected);
    CHECK(got.error().message ==
          "no usable answer after 3 attempts: worth_it is 3; it must be true or false. reason is "
          "missing; the last answer: `{\"worth_it\": 3}`");
    CHECK_FALSE(got.error().hint.empty());
    CHECK(model.left() == 1);
    // The cost is known after an error too.
    REQUIRE(log.exchanges.size() == 3);
    CHECK(log.usage.input == 30);
    CHECK(log.exchanges[2].faults.size() == 2); // and so is what was wrong
    scripted_model once{reply("x")};
    CHECK(has(ask<opinion>(once, question, {.attempts = 0}).error().message, "after 1 attempt: "));
}

TEST_CASE("a failure of the model ends it at once, and takes no attempt") {
    error const busy{condition::transient, "lkt.http.status", "503", ""};
    scripted_model model{reply(no_reason), busy, reply(yes)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_error());
    CHECK((got.error() == busy));
    CHECK(model.requests().size() == 2);
}

TEST_CASE("empty replies, reasoning alone and refusals are named") {
    chat_reply thoughts = reply("");
    thoughts.reasoning = "Let me see.";
    scripted_model model{
        reply(" \n"), thoughts, reply("<think>yes"), reply("No.", finish::filtered), reply(yes)};
    auto const got = ask<opinion>(model, question, {.attempts = 5});
    REQUIRE(got.has_value());
    auto const why = [&](std::size_t i) { return got->log.exchanges[i].faults.at(0); };
    CHECK(why(0) == "the reply is empty");
    CHECK(why(1) == "the reply contains only reasoning");
    CHECK(why(2) == "the reply contains only reasoning");
    CHECK(why(3) == "the reply was held back by the server (content filter)");
    // Servers refuse empty turns.
    for (chat_request const& sent : model.requests())
        for (message const& turn : sent.messages) CHECK_FALSE(turn.text.empty());
}

TEST_CASE("a reply that was cut off is continued") {
    scripted_model model{reply(R"({"worth_it": true, "rea)", finish::length),
                         reply(R"(son": "memory )", finish::length),
                         reply(R"(bound"})")};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_value());
    CHECK((got->value == expected));
    auto const sent = model.requests();
    REQUIRE(sent.size() == 3);
    CHECK_FALSE(sent[1].format.has_value()); // the rest alone is no answer of that form
    REQUIRE(sent[2].messages.size() == 4);
    CHECK(sent[2].messages[2].text == R"({"worth_it": true, "reason": "memory )");
    CHECK(has(sent[2].messages[3].text, "cut off"));
    CHECK(got->log.exchanges.size() == 3);
}

TEST_CASE("what a continuation repeats is left out") {
    auto const joined = [](std::string_view first, std::string_view next) {
        scripted_model model{reply(first, finish::length), reply(next)};
        auto const got = ask<opinion>(model, question);
        if (!got) return got.error().message;
        CHECK((got->value.worth_it == true));
        return got->value.reason;
    };
    CHECK(joined(R"({"worth_it": true, "reason": "memory)", R"("reason": "memory bound"})") ==
          "memory bound");
    CHECK(joined(R"({"worth_it": true, "reason": "mem)", "```json\nory bound\"}\n```") ==
          "memory bound");
    CHECK(joined(R"({"worth_it": true, "reason": "mem)", yes) == "memory bound");
    CHECK(joined("Here:\n```json\n{\"worth_it\": true, \"reason\": \"mem",
                 "```json\nory bound\"}\n```\n") == "memory bound");
    CHECK(joined("Here:\n```json\n{\"worth_it\": true, \"reason\": \"mem", "ory bound\"}\n```\n") ==
          "memory bound");
    // Short repetitions are chance.
    CHECK(joined(R"({"worth_it": true, "reason": "aaa)", R"(aaa"})") == "aaaaaa");
}

TEST_CASE("with a limit of tokens, a reply that was cut off is asked for with more") {
    scripted_model model{reply("{\"worth", finish::length), reply("", finish::length), reply(yes)};
    chat_request request;
    request.messages = question;
    request.max_tokens = 100;
    auto const got = ask<opinion>(model, request);
    REQUIRE(got.has_value());
    auto const sent = model.requests();
    REQUIRE(sent.size() == 3);
    CHECK(sent[1].max_tokens == 200);
    CHECK(sent[2].max_tokens == 400);
    CHECK((sent[2].messages == question));
    CHECK(sent[2].format.has_value());
}

TEST_CASE("a reply that never ends is an error; one cut off behind its last brace is none") {
    scripted_model model{
        reply("{\"wor", finish::length), reply("th_i", finish::length), reply("t", finish::length)};
    auto const got = ask<opinion>(model, question);
    REQUIRE(got.has_error());
    CHECK(got.error().code == "lkt.ask.unfinished");
    CHECK(got.error().kind == condition::rejected);
    CHECK(has(got.error().message, "`{\"worth_it`, despite 2 continuations"));
    CHECK(model.requests().size() == 3);

    scripted_model thinking{reply("<think>on and on", finish::length)};
    auto const thought = ask<opinion>(thinking, question, {.continuations = 0});
    REQUIRE(thought.has_error());
    CHECK(has(thought.error().message, "before it began"));

    scripted_model whole{reply(yes, finish::length)};
    CHECK(ask<opinion>(whole, question).has_value());
}

TEST_CASE("the free answer of a separate request is continued too") {
    scripted_model model{reply("It is memory", finish::length), reply(" bound."), reply(yes)};
    REQUIRE(ask<opinion>(model, question, in(answer_mode::separate_request)).has_value());
    CHECK(has(model.requests().at(2).messages[0].text, "It is memory bound."));
}

TEST_CASE("each call has the context") {
    scripted_model model{reply("Yes."), reply(no_reason), reply(yes)};
    std::string received;
    call_context context;
    context.on_text = [&](std::string_view text) { received += text; };
    REQUIRE(ask<opinion>(model, question, in(answer_mode::separate_request), context).has_value());
    CHECK(received == "Yes." + std::string(no_reason) + std::string(yes));

    std::stop_source stop;
    stop.request_stop();
    scripted_model idle{reply(yes)};
    auto const got = ask<opinion>(idle, question, {}, {stop.get_token(), {}});
    REQUIRE(got.has_error());
    CHECK(got.error().kind == condition::cancelled);
    CHECK(idle.left() == 1);
}

TEST_CASE("prompts are the caller's, and so is what passes") {
    scripted_model model{reply(R"({"worth_it": "true", "more": 1})"),
                         reply(R"({"worth_it": "true", "more": 1, "reason": "r"})")};
    ask_options options;
    options.prompts.again = "Wrong:\n{faults}";
    options.prompts.schema = "{schema}!";
    options.reading = {.unknown_members = true, .near_misses = true};
    auto const got = ask<opinion>(model, {{role::user, "?"}}, options);
    REQUIRE(got.has_value());
    CHECK(last_turn(model) == "Wrong:\n- reason is missing\n" + schema_of<opinion>() + "!");
}

TEST_CASE("what the caller finds wrong with an answer is fed back too") {
    scripted_model model{reply(R"({"names": ["m"], "dimensions": 1})"),
                         reply(R"({"names": ["n"], "dimensions": 0})"),
                         reply(R"({"names": ["n"], "dimensions": 1})")};
    std::string const argument = "n";
    int checked = 0;
    auto const known = [&](problem_size const& size) {
        ++checked;
        std::vector<std::string> faults;
        for (std::string const& name : size.names)
            if (name != argument) faults.push_back(name + " is not an argument of the kernel");
        return faults;
    };
    auto const got = ask<problem_size>(model, question, {}, {}, known);
    REQUIRE(got.has_value());
    CHECK(checked == 2); // only what could be read
    CHECK(
        has(model.requests().at(1).messages.back().text, "- m is not an argument of the kernel\n"));
    CHECK(has(model.requests().at(2).messages.back().text, "- dimensions is 0; "));
    scripted_model stubborn{reply(R"({"names": ["m"], "dimensions": 1})")};
    auto const none = ask<problem_size>(stubborn, question, {.attempts = 1}, {}, known);
    REQUIRE(none.has_error());
    CHECK(has(none.error().message, "m is not an argument of the kernel; the last answer"));
}

TEST_CASE("any chat model can be asked") {
    any_chat_model model = scripted_model{reply(yes)};
    CHECK(ask<opinion>(model, question).has_value());
    CHECK(to_string(answer_mode::hybrid) == "hybrid");
}
